"""The command line of `tools/shopmark engines`."""

import argparse
import contextlib
import fcntl
import functools
import os
import re
import sys
import textwrap
import time

from engines import machine, places, servers
from console.errors import Failed, NotStarted
from engines.mariadb import MariaDb
from engines.postgres import Postgres

RIGHT, FAILED, NOT_STARTED = 0, 1, 2
ENGINES = {engine.NAME: engine for engine in (Postgres, MariaDb)}
WIDTH = 80


def add_commands(commands):
    """Adds `engines` to the parsers of the commands; each sets `run`."""
    parser = commands.add_parser(
        "engines", help="private PostgreSQL and MariaDB servers", allow_abbrev=False,
        description="Private servers of this checkout, from the installed packages: on Unix\n"
                    "sockets only, data in build/engines, durable as the engines are by default.\n"
                    "Only the user who started them (and root) can connect, and may do everything.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="examples:\n"
               "  tools/shopmark engines up\n"
               "  tools/shopmark engines up postgres --memory=2G\n"
               "  shopmark-seed --target=\"$(tools/shopmark engines dsn postgres)\"\n"
               "  tools/shopmark engines logs mariadb --lines=100\n"
               "  tools/shopmark engines down\n"
               "\n"
               "exit status: 0 all right; 1 something failed, or does not run where status or\n"
               "dsn asks for it; 2 could not start")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    action = _add(actions, "up", up, "start them; makes what is not there yet",
                  "Starts the servers unless they run, and prints how to reach them.")
    action.add_argument("--memory", type=_size, metavar="SIZE",
                        help="of each server's page cache, such as 512M or 2G; what else needs "
                             "memory is sized by it (default: an eighth of the machine's)")
    action = _add(actions, "down", down, "stop them",
                  "Stops the servers. What is stored in them stays, for the next up.")
    action.add_argument("--remove", action="store_true", help="also delete all that they store")
    _add(actions, "status", status, "what runs, and where",
         "Shows the servers; exit status 1 unless all run.")
    _add(actions, "dsn", dsn, "print a --target for each", "Prints a DSN a line, for --target.")
    action = _add(actions, "logs", logs, "print the last lines of their logs",
                  "Prints the last lines that the servers wrote.")
    action.add_argument("--lines", type=_count, default=30, metavar="COUNT",
                        help="of each server (default: 30)")


def _add(actions, name, function, summary, description):
    parser = actions.add_parser(name, help=summary, description=description, allow_abbrev=False)
    parser.add_argument("engines", nargs="*", metavar="ENGINE", type=_engine,
                        help=f"{' or '.join(ENGINES)} (default: both)")
    parser.set_defaults(run=lambda arguments: _run(function, arguments))
    return parser


def _engine(name):
    if name not in ENGINES:
        raise argparse.ArgumentTypeError(f"{name!r} is neither {' nor '.join(ENGINES)}")
    return name


def _size(text):
    """MiB."""
    match = re.fullmatch(r"([1-9][0-9]{0,6})([MG])i?B?", text, re.ASCII)
    size = int(match[1]) * {"M": 1, "G": 1024}[match[2]] if match else 0
    most = machine.memory_bytes() // machine.MIB
    if not 64 <= size <= most:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a size such as 512M or 2G, from 64M to the {most}M that there are")
    return size


def _count(text):
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to 1000000")
    return int(text)


def _run(function, arguments):
    """The boundary at which errors become lines and exit statuses."""
    try:
        users = [engine.user_here() for engine in ENGINES.values()]
        the_places = places.Places([user for user in users if places.has_user(user)])
        chosen = [ENGINES[name](the_places, functools.partial(_say_of, name)) for name in ENGINES
                  if not arguments.engines or name in arguments.engines]
        # A log or a path may hold what the terminal's encoding does not.
        sys.stdout.reconfigure(errors="backslashreplace")
        return function(arguments, the_places, chosen)
    except Failed as error:
        return _complain(error, FAILED)
    except NotStarted as error:
        return _complain(error, NOT_STARTED)
    except OSError as error:
        return _complain(f"{error.filename or 'stdout'}: {error.strerror}", NOT_STARTED)


def up(arguments, the_places, chosen):
    servers.require_packages(chosen)
    sizes = servers.Sizes.of(machine.memory_bytes() // machine.MIB, arguments.memory)
    began = time.monotonic()
    if the_places.note:
        _say(the_places.note)
    is_sized = arguments.memory is not None
    with _locked(the_places):
        results, exit_status = _at_once(lambda server: server.up(sizes, is_sized), chosen)
        for server, done in results.items():
            if not _show(server, done):
                exit_status = FAILED
    if exit_status == RIGHT:
        print(f"up in {time.monotonic() - began:.1f} s")
    return exit_status


def down(arguments, the_places, chosen):
    def stop(server):
        was_running = server.down()
        if arguments.remove:
            server.remove()
        return was_running

    with _locked(the_places):
        results, exit_status = _at_once(stop, chosen)
    for server, was_running in results.items():
        print(f"{server.NAME:<15}{'stopped' if was_running else 'was not running'}"
              f"{', removed' if arguments.remove else ''}")
    return exit_status


def status(_, __, chosen):
    results = [_show(server) for server in chosen]
    return RIGHT if all(results) else FAILED


def dsn(_, __, chosen):
    for server in chosen:
        if not server.is_reachable():
            raise Failed(f"{server.NAME} is not running: tools/shopmark engines up {server.NAME}")
    for server in chosen:
        print(server.dsn())
    return RIGHT


def logs(arguments, _, chosen):
    result = RIGHT
    for server in chosen:
        lines = server.log_lines(arguments.lines)
        if lines is None:
            result = _complain(f"{server.NAME} never ran: there is no {server.log}", FAILED)
            continue
        if len(chosen) > 1:
            print(f"==> {server.log} <==")
        print("\n".join(lines))
    return result


@contextlib.contextmanager
def _locked(the_places):
    """One command at a time changes something."""
    the_places.make()
    lock = os.open(the_places.lock(), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("waiting for another command to end")
            fcntl.flock(lock, fcntl.LOCK_EX)
        # The other command may have been a down, which takes the folder away.
        the_places.make()
        yield
    finally:
        os.close(lock)


def _at_once(action, chosen):
    """What the action gave for each server where it succeeded, and the exit status; the others'
    errors are printed."""
    # Slow to import, and every command of the script imports this file.
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor() as pool:
        futures = [pool.submit(action, server) for server in chosen]
    results, exit_status = {}, RIGHT
    for server, future in zip(chosen, futures):
        try:
            results[server] = future.result()
        except Failed as error:
            _say_of(server.NAME, error)
            exit_status = max(exit_status, FAILED)
        except NotStarted as error:
            _say_of(server.NAME, error)
            exit_status = NOT_STARTED
        except OSError as error:
            _say_of(server.NAME, f"{error.filename}: {error.strerror}")
            exit_status = NOT_STARTED
    return results, exit_status


def _show(server, done=None):
    """Prints what runs, and whether it does."""
    main = server.main_process()
    if main is None:
        missing = server.missing_packages()
        state = f"not installed: {', '.join(missing)}" if missing else "not running"
        print(f"{server.NAME:<15}{state}")
        return False
    uptime = _duration(machine.uptime_seconds(main.pid) or 0.0)
    lines = {"socket": server.socket(), "data": server.data, "log": server.log}
    try:
        facts = server.facts()
    except Failed as error:
        print(f"{server.NAME:<15}pid {main.pid}, running for {uptime}: {error}")
        facts = None
    else:
        print(f"{server.NAME:<15}{server.TITLE} {facts.version}, pid {main.pid}, "
              f"{done or f'running for {uptime}'}")
        lines |= {"target": server.dsn(), "memory": ", ".join(facts.memory),
                  "durability": ", ".join(facts.durability)}
    for name, text in lines.items():
        print(textwrap.fill(text, WIDTH, initial_indent=f"  {name:<13}", subsequent_indent=" " * 15,
                            break_long_words=False, break_on_hyphens=False))
    return facts is not None


def _duration(seconds):
    minutes = int(seconds // 60)
    if minutes == 0:
        return f"{seconds:.0f} s"
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


def _say(message):
    # In one piece, since servers speak at the same time.
    sys.stderr.write(f"shopmark engines: {message}\n")


def _say_of(engine, message):
    _say(f"{engine}: {message}")


def _complain(message, exit_status):
    _say(message)
    return exit_status
