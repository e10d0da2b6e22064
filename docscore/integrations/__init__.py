"""Integrations of docscore with other libraries, one module each; a library is imported only with its module."""
