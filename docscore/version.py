"""The version of docscore, which is defined only here."""

VERSION = "0.3.0"
