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
