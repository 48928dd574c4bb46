-- What shoppers wrote (orders and carts whose numbers and tokens have a visitor's prefix): to count,
-- to check and to undo it.
--
-- Their ids lie together above those of the seeder, so that all that hangs on them is a range of
-- ids, which every engine finds by the keys that are there.

-- name: visitor_orders
SELECT count(*) AS rows_found, COALESCE(min(o.id), 0) AS first_id, COALESCE(max(o.id), 0) AS last_id
FROM orders o
WHERE o.number >= :prefix AND o.number < :prefix_end

-- name: visitor_carts
SELECT count(*) AS rows_found, COALESCE(min(c.id), 0) AS first_id, COALESCE(max(c.id), 0) AS last_id
FROM carts c
WHERE c.token >= :prefix AND c.token < :prefix_end

-- name: orders_between
SELECT count(*) AS rows_found
FROM orders o
WHERE o.id BETWEEN :first_id AND :last_id

-- name: carts_between
SELECT count(*) AS rows_found
FROM carts c
WHERE c.id BETWEEN :first_id AND :last_id

-- name: pieces_ordered
SELECT i.variant_id, sum(i.quantity) AS quantity
FROM order_items i
WHERE i.order_id BETWEEN :first_id AND :last_id
GROUP BY i.variant_id
ORDER BY i.variant_id

-- ---- check -----------------------------------------------------------------------------------------

-- name: pieces_held
SELECT h.variant_id, sum(h.quantity) AS quantity
FROM stock_holds h
GROUP BY h.variant_id
ORDER BY h.variant_id

-- name: stock_levels
SELECT v.id AS variant_id, v.stock AS quantity
FROM variants v
ORDER BY v.id

-- name: visitor_order_sums
-- Each order beside the sums of what hangs on it. Its note is the token of the cart that was paid.
SELECT
  o.number,
  o.subtotal_cents,
  o.discount_cents,
  o.shipping_cents,
  o.tax_cents,
  o.total_cents,
  (SELECT count(*) FROM order_items i WHERE i.order_id = o.id) AS items,
  COALESCE((SELECT sum(i.quantity) FROM order_items i WHERE i.order_id = o.id), 0) AS pieces,
  COALESCE((SELECT sum(i.quantity * i.unit_price_cents) FROM order_items i WHERE i.order_id = o.id), 0)
    AS items_subtotal_cents,
  COALESCE((SELECT sum(i.discount_cents) FROM order_items i WHERE i.order_id = o.id), 0)
    AS items_discount_cents,
  COALESCE((SELECT sum(i.tax_cents) FROM order_items i WHERE i.order_id = o.id), 0) AS items_tax_cents,
  COALESCE((
    SELECT sum(-a.amount_cents)
    FROM adjustments a
    WHERE a.order_id = o.id AND a.kind IN ('sale', 'coupon')
  ), 0) AS adjusted_discount_cents,
  COALESCE((
    SELECT sum(a.amount_cents) FROM adjustments a WHERE a.order_id = o.id AND a.kind = 'shipping'
  ), 0) AS adjusted_shipping_cents,
  COALESCE((
    SELECT sum(a.amount_cents) FROM adjustments a WHERE a.order_id = o.id AND a.kind = 'tax'
  ), 0) AS adjusted_tax_cents,
  (SELECT count(*) FROM order_history h WHERE h.order_id = o.id) AS events,
  (SELECT count(*) FROM transactions t WHERE t.order_id = o.id) AS transactions,
  COALESCE((
    SELECT sum(t.amount_cents)
    FROM transactions t
    WHERE t.order_id = o.id AND t.kind = 'charge' AND t.status = 'succeeded'
  ), 0) AS charged_cents,
  (SELECT count(*) FROM carts c WHERE c.token = o.note) AS carts
FROM orders o
WHERE o.id BETWEEN :first_id AND :last_id
ORDER BY o.id

-- ---- undo ------------------------------------------------------------------------------------------

-- name: give_stock_back
UPDATE variants
SET stock = stock + :quantity
WHERE id = :variant_id

-- name: undo_download_grants
DELETE FROM download_grants
WHERE order_id BETWEEN :first_id AND :last_id

-- name: undo_coupon_usages
DELETE FROM coupon_usages
WHERE order_id BETWEEN :first_id AND :last_id

-- name: undo_shipment_items
DELETE FROM shipment_items
WHERE order_id BETWEEN :first_id AND :last_id

-- name: undo_shipments
DELETE FROM shipments
WHERE order_id BETWEEN :first_id AND :last_id

-- name: undo_refund_items
DELETE FROM refund_items
WHERE order_id BETWEEN :first_id AND :last_id

-- name: undo_transactions
DELETE FROM transactions
WHERE order_id BETWEEN :first_id AND :last_id

-- name: undo_order_history
DELETE FROM order_history
WHERE order_id BETWEEN :first_id AND :last_id

-- name: undo_adjustments
DELETE FROM adjustments
WHERE order_id BETWEEN :first_id AND :last_id

-- name: undo_order_items
DELETE FROM order_items
WHERE order_id BETWEEN :first_id AND :last_id

-- name: undo_orders
DELETE FROM orders
WHERE id BETWEEN :first_id AND :last_id

-- name: undo_cart_lines
DELETE FROM cart_lines
WHERE cart_id BETWEEN :first_id AND :last_id

-- name: undo_carts
DELETE FROM carts
WHERE id BETWEEN :first_id AND :last_id
