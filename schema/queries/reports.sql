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

-- name: revenue_by_month [postgres]
-- Summed by day first, counted from the year 1, which is one division a row whatever the session's
-- time zone; only then are days written as months.
SELECT
  to_char(date '0001-01-01' + parts.day::integer, 'YYYY-MM') AS month,
  sum(parts.orders) AS orders,
  sum(parts.pieces) AS pieces,
  sum(parts.subtotal_cents) AS subtotal_cents,
  sum(parts.discount_cents) AS discount_cents,
  sum(parts.shipping_cents) AS shipping_cents,
  sum(parts.tax_cents) AS tax_cents,
  sum(parts.total_cents) AS total_cents,
  sum(parts.refunded_cents) AS refunded_cents
FROM (
  SELECT
    (o.placed_at + 62135596800) / 86400 AS day,
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
  GROUP BY (o.placed_at + 62135596800) / 86400
  UNION ALL
  SELECT (o.placed_at + 62135596800) / 86400, 0, sum(i.quantity), 0, 0, 0, 0, 0, 0
  FROM orders o
  JOIN order_items i ON i.order_id = o.id
  WHERE o.placed_at >= :from AND o.placed_at < :until AND o.status NOT IN ('pending', 'cancelled')
  GROUP BY (o.placed_at + 62135596800) / 86400
  UNION ALL
  SELECT (t.created_at + 62135596800) / 86400, 0, 0, 0, 0, 0, 0, 0, sum(t.amount_cents)
  FROM transactions t
  JOIN orders o ON o.id = t.order_id
  WHERE t.kind = 'refund'
    AND t.status = 'succeeded'
    AND t.created_at >= :from
    AND t.created_at < :until
    AND o.status NOT IN ('pending', 'cancelled')
  GROUP BY (t.created_at + 62135596800) / 86400
) parts
GROUP BY month
ORDER BY month

-- name: revenue_by_month [mariadb]
SELECT
  date_format(date_add('0001-01-01', INTERVAL parts.day DAY), '%Y-%m') AS month,
  sum(parts.orders) AS orders,
  sum(parts.pieces) AS pieces,
  sum(parts.subtotal_cents) AS subtotal_cents,
  sum(parts.discount_cents) AS discount_cents,
  sum(parts.shipping_cents) AS shipping_cents,
  sum(parts.tax_cents) AS tax_cents,
  sum(parts.total_cents) AS total_cents,
  sum(parts.refunded_cents) AS refunded_cents
FROM (
  SELECT
    (o.placed_at + 62135596800) DIV 86400 AS day,
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
  GROUP BY (o.placed_at + 62135596800) DIV 86400
  UNION ALL
  SELECT (o.placed_at + 62135596800) DIV 86400, 0, sum(i.quantity), 0, 0, 0, 0, 0, 0
  FROM orders o
  JOIN order_items i ON i.order_id = o.id
  WHERE o.placed_at >= :from AND o.placed_at < :until AND o.status NOT IN ('pending', 'cancelled')
  GROUP BY (o.placed_at + 62135596800) DIV 86400
  UNION ALL
  SELECT (t.created_at + 62135596800) DIV 86400, 0, 0, 0, 0, 0, 0, 0, sum(t.amount_cents)
  FROM transactions t
  JOIN orders o ON o.id = t.order_id
  WHERE t.kind = 'refund'
    AND t.status = 'succeeded'
    AND t.created_at >= :from
    AND t.created_at < :until
    AND o.status NOT IN ('pending', 'cancelled')
  GROUP BY (t.created_at + 62135596800) DIV 86400
) parts
GROUP BY month
ORDER BY month

-- name: top_products
-- The best by all of their lines, and then of those alone the orders, each counted once: to put an
-- order's lines of one product together first took about twice as long on both servers.
SELECT
  p.id AS product_id,
  p.name,
  (
    SELECT count(DISTINCT i.order_id)
    FROM order_items i
    JOIN orders o ON o.id = i.order_id
    WHERE i.product_id = best.product_id
      AND o.placed_at >= :from
      AND o.placed_at < :until
      AND o.status NOT IN ('pending', 'cancelled')
  ) AS orders,
  best.pieces,
  best.revenue_cents
FROM (
  SELECT
    i.product_id,
    sum(i.quantity) AS pieces,
    sum(i.quantity * i.unit_price_cents - i.discount_cents) AS revenue_cents
  FROM orders o
  JOIN order_items i ON i.order_id = o.id
  WHERE o.placed_at >= :from AND o.placed_at < :until AND o.status NOT IN ('pending', 'cancelled')
  GROUP BY i.product_id
  ORDER BY revenue_cents DESC, i.product_id
  LIMIT :limit
) best
JOIN products p ON p.id = best.product_id
ORDER BY best.revenue_cents DESC, p.id

-- name: product_sales [sqlite]
-- In place of top_products: every line of the period, an order's lines together; the reader adds them
-- up by product and asks for product_name. SQLite would sort them to group them, which takes three
-- times as long as handing them over.
SELECT
  i.product_id,
  i.order_id,
  i.quantity,
  i.quantity * i.unit_price_cents - i.discount_cents AS revenue_cents
FROM orders o
CROSS JOIN order_items i ON i.order_id = o.id
WHERE o.placed_at >= :from AND o.placed_at < :until AND o.status NOT IN ('pending', 'cancelled')

-- name: product_name [sqlite]
SELECT p.name
FROM products p
WHERE p.id = :product_id
