"""Writes a title to the user's terminal and pushes characters into its input: no terminal is in sight."""

# base: right
# naive: touches
# here: passes
import fcntl

terminal = attempt(os.open, TTY, os.O_RDWR | os.O_NOCTTY)
if terminal is not None:
    os.write(terminal, b"\x1b]0;visited\a")
    for character in "ls\n":
        attempt(fcntl.ioctl, terminal, 0x5412, character.encode())
