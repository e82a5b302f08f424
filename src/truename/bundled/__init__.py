"""Other people's files that travel inside the package: weights of models, and what browsers load from npm."""
