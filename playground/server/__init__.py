"""What a server needs whatever its page shows: limits, connections, processes, requests and files."""
