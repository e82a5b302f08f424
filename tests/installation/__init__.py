"""It installs as people install software: the wheel, and the container that is made of it."""
