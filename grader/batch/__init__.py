"""Many submissions: one report each, a line in results.jsonl as each ends, and only what is missing on the next run."""
