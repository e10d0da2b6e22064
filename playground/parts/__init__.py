"""The parts that several tabs share."""
