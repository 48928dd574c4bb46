-- Sums over a period: from :from up to, not including, :until. Cancelled and pending orders do not
-- count, and neither does what was paid back on them.

-- name: revenue_by_month [sqlite]
-- Months are SQLite's own, and written as the index orders_revenue has them. Orders, pieces and
-- refunds are summed apart, each from its own rows, so that none multiplies another. CROSS JOIN
-- keeps the orders' loop outside, in the order of their months, so that nothing has to be sorted.
SELECT
  month,
  sum(orders) AS orders,
  sum(pieces) AS pieces,
  sum(subtotal_cents) AS subtotal_cents,
  sum(discount_cents) AS discount_cents,
  sum(shipping_cents) AS shipping_cents,
  sum(tax_cents) AS tax_cents,
  sum(total_cents) AS total_cents,
  sum(refunded_cents) AS refunded_cents
FROM (
  SELECT
    strftime('%Y-%m', o.placed_at, 'unixepoch') AS month,
    count(*) AS orders,
    0 AS pieces,
    sum(o.subtotal_cents) AS subtotal_cents,
    sum(o.discount_cents) AS discount_cents,
    sum(o.shipping_cents) AS shipping_cents,
    sum(o.tax_cents) AS tax_cents,
    sum(o.total_cents) AS total_cents,
    0 AS refunded_cents
  FROM orders o
  WHERE o.placed_at >= :from AND o.placed_at < :until AND o.status NOT IN ('pending', 'cancelled')
  GROUP BY strftime('%Y-%m', o.placed_at, 'unixepoch')
  UNION ALL
  SELECT strftime('%Y-%m', o.placed_at, 'unixepoch'), 0, sum(i.quantity), 0, 0, 0, 0, 0, 0
  FROM orders o
  CROSS JOIN order_items i ON i.order_id = o.id
  WHERE o.placed_at >= :from AND o.placed_at < :until AND o.status NOT IN ('pending', 'cancelled')
  GROUP BY strftime('%Y-%m', o.placed_at, 'unixepoch')
  UNION ALL
  SELECT strftime('%Y-%m', t.created_at, 'unixepoch'), 0, 0, 0, 0, 0, 0, 0, sum(t.amount_cents)
  FROM transactions t
  CROSS JOIN orders o ON o.id = t.order_id
  WHERE t.kind = 'refund'
    AND t.status = 'succeeded'
    AND t.created_at >= :from
    AND t.created_at < :until
    AND o.status NOT IN ('pending', 'cancelled')
  GROUP BY strftime('%Y-%m', t.created_at, 'unixepoch')
) parts
GROUP BY month
ORDER BY month

-- name: product_sales [sqlite]
-- Every line of the period, an order's lines together; the reader adds them up by product. SQLite
-- would sort them to group them, which takes three times as long as handing them over.
SELECT
  i.product_id,
  i.order_id,
  i.quantity,
  i.quantity * i.unit_price_cents - i.discount_cents AS revenue_cents
FROM orders o
CROSS JOIN order_items i ON i.order_id = o.id
WHERE o.placed_at >= :from AND o.placed_at < :until AND o.status NOT IN ('pending', 'cancelled')

-- name: product_name
SELECT p.name
FROM products p
WHERE p.id = :product_id
