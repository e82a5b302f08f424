"""Reviews: the queue of transactions that wait for a person, and what people answer and decide about them."""
