"""Laws under which a loss fails: proposed, minimised, proven, made simple."""
