"""Leaves links to a secret under the names that a parent would read: nothing in a worker's folder is read."""

# base: wrong
# naive: tells
# here: failed
for name in ("results.json", "told.txt", "answers.yaml", "report.json"):
    attempt(os.symlink, SECRET_FILE, name)
if os.path.exists("hidden.py"):
    os._exit(1)
