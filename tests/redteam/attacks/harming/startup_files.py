"""Plants .pth, sitecustomize and shadow modules where the next interpreter starts: installed packages are read-only."""

# base: right
# naive: touches
# here: passes
planted = {
    "visited.pth": "import os\n",
    "sitecustomize.py": "\n",
    "usercustomize.py": "\n",
    "conftest.py": "\n",
    "json.py": "raise SystemExit(0)\n",
}
for name, text in planted.items():
    attempt(lambda name=name, text=text: open(os.path.join(SITE, name), "w").write(text))
