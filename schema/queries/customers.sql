-- name: customer_by_email
SELECT
  c.id,
  c.email,
  c.name,
  c.phone,
  c.locale,
  c.accepts_marketing,
  c.note,
  c.created_at
FROM customers c
WHERE c.email = :email

-- name: search_customers
-- Addresses from :text up to, not including, :text_end: those that start with the text.
SELECT
  c.id,
  c.email,
  c.name,
  c.created_at,
  (SELECT count(*) FROM orders o WHERE o.customer_id = c.id) AS orders,
  COALESCE((
    SELECT sum(o.total_cents - o.refunded_cents)
    FROM orders o
    WHERE o.customer_id = c.id AND o.status NOT IN ('pending', 'cancelled')
  ), 0) AS spent_cents
FROM customers c
WHERE c.email >= :text AND c.email < :text_end
ORDER BY c.email
LIMIT :limit
