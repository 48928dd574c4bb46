"""What `tools/shopmark engines` is made of: private PostgreSQL and MariaDB servers of a checkout.

machine.py knows the machine: memory, programs, processes. places.py decides which folders are ours.
servers.py starts and stops a server whatever state its files are in; postgres.py and mariadb.py say
what is particular to each. commands.py is the command line.
"""
