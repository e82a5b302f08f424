"""Media: pictures and face templates of people; their rows, their objects, their seals."""
