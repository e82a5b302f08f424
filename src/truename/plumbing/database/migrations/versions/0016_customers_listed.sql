-- Customers can be listed, newest first, by account and status: their ids grow with time.

CREATE INDEX customers_by_account ON customers (account_id, customer_id DESC);
CREATE INDEX customers_by_status ON customers (account_id, status, customer_id DESC);
