-- Orders as the shop's staff sees them. A list finds its ids first, on an index alone, and then the
-- columns of those.

-- name: list_orders
SELECT
  o.id,
  o.number,
  o.email,
  c.name AS customer_name,
  o.status,
  o.currency,
  o.total_cents,
  COALESCE((SELECT sum(i.quantity) FROM order_items i WHERE i.order_id = o.id), 0) AS pieces,
  o.placed_at
FROM (
  SELECT o.id
  FROM orders o
  ORDER BY o.placed_at DESC, o.id DESC
  LIMIT :limit OFFSET :offset
) page
JOIN orders o ON o.id = page.id
LEFT JOIN customers c ON c.id = o.customer_id
ORDER BY o.placed_at DESC, o.id DESC

-- name: search_orders_by_email
-- Addresses from :text up to, not including, :text_end: those that start with the text.
SELECT
  o.id,
  o.number,
  o.email,
  c.name AS customer_name,
  o.status,
  o.currency,
  o.total_cents,
  COALESCE((SELECT sum(i.quantity) FROM order_items i WHERE i.order_id = o.id), 0) AS pieces,
  o.placed_at
FROM (
  SELECT o.id
  FROM orders o
  WHERE o.email >= :text AND o.email < :text_end
  ORDER BY o.placed_at DESC, o.id DESC
  LIMIT :limit
) page
JOIN orders o ON o.id = page.id
LEFT JOIN customers c ON c.id = o.customer_id
ORDER BY o.placed_at DESC, o.id DESC

-- name: search_orders_by_number
SELECT
  o.id,
  o.number,
  o.email,
  c.name AS customer_name,
  o.status,
  o.currency,
  o.total_cents,
  COALESCE((SELECT sum(i.quantity) FROM order_items i WHERE i.order_id = o.id), 0) AS pieces,
  o.placed_at
FROM orders o
LEFT JOIN customers c ON c.id = o.customer_id
WHERE o.number = :number

-- ---- one order -------------------------------------------------------------------------------------

-- name: order_by_number
SELECT
  o.id,
  o.number,
  o.customer_id,
  c.name AS customer_name,
  o.email,
  o.status,
  o.currency,
  o.subtotal_cents,
  o.discount_cents,
  o.shipping_cents,
  o.tax_cents,
  o.total_cents,
  o.refunded_cents,
  o.coupon_code,
  o.shipping_method,
  o.ship_to_name,
  o.ship_to_line1,
  o.ship_to_city,
  o.ship_to_region,
  o.ship_to_postcode,
  o.ship_to_country,
  o.note,
  o.placed_at,
  o.updated_at
FROM orders o
LEFT JOIN customers c ON c.id = o.customer_id
WHERE o.number = :number

-- name: order_items
-- Pieces shipped and paid back come from their own rows, one by one, so nothing multiplies.
SELECT
  i.position,
  i.product_id,
  i.variant_id,
  i.sku,
  i.name,
  i.options,
  i.quantity,
  i.unit_price_cents,
  i.discount_cents,
  i.tax_cents,
  i.total_cents,
  COALESCE((
    SELECT sum(si.quantity)
    FROM shipments s
    JOIN shipment_items si ON si.shipment_id = s.id
    WHERE s.order_id = i.order_id AND si.item_position = i.position
  ), 0) AS shipped,
  COALESCE((
    SELECT sum(ri.quantity)
    FROM transactions t
    JOIN refund_items ri ON ri.transaction_id = t.id
    WHERE t.order_id = i.order_id AND t.status = 'succeeded' AND ri.item_position = i.position
  ), 0) AS refunded
FROM order_items i
WHERE i.order_id = :order_id
ORDER BY i.position

-- name: order_adjustments
SELECT a.position, a.item_position, a.kind, a.label, a.amount_cents
FROM adjustments a
WHERE a.order_id = :order_id
ORDER BY a.position

-- name: order_history
SELECT h.position, h.event, h.actor, h.message, h.created_at
FROM order_history h
WHERE h.order_id = :order_id
ORDER BY h.position

-- name: order_transactions
SELECT t.id, t.kind, t.status, t.gateway, t.reference, t.amount_cents, t.created_at
FROM transactions t
WHERE t.order_id = :order_id
ORDER BY t.id

-- name: order_shipments
SELECT s.id, s.carrier, s.tracking, s.shipped_at, s.delivered_at
FROM shipments s
WHERE s.order_id = :order_id
ORDER BY s.id

-- name: order_grants
SELECT g.item_position, f.name AS file_name, g.token, g.downloads, g.max_downloads, g.expires_at
FROM download_grants g
JOIN product_files f ON f.id = g.file_id
WHERE g.order_id = :order_id
ORDER BY g.item_position, g.file_id
