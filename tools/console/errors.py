"""The two ways in which a command ends badly. Each message is one line for the user."""


class Failed(Exception):
    """It was tried, and went wrong: exit status 1."""


class NotStarted(Exception):
    """It could not be tried: exit status 2."""
