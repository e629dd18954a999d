"""Leaves with status 0 while it is imported, before a check was made: the file did not load, and earns nothing."""

# base: wrong
# naive: forges exit
# here: unloaded exit status 0
os._exit(0)
