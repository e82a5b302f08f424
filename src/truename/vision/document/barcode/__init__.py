"""PDF417 and QR codes of documents: found, read, understood."""
