"""What the tabs share."""
