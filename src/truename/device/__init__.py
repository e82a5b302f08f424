"""SEE: where the capture came from: what the SDK reports, the IP address, the GPS fix."""
