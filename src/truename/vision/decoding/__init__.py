"""Safe decoding of pictures that strangers send: judged by their header, decoded in a process that may be killed."""
