"""The parts of the server that do not depend on the page: limits, connections, processes, requests and files."""
