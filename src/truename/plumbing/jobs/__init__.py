"""Work that is done later, exactly as surely as what caused it: the port to the job engine."""
