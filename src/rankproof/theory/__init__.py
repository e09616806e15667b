"""What is consistent with what: exact risks, existence of targets, witnesses, verdicts and their replay."""
