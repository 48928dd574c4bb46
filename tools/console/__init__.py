"""What the commands of tools/shopmark share: how they read, write and end."""
