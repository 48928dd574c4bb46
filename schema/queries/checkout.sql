-- What a shopper writes: lines into a cart, and a cart into an order. What is read for the price
-- stands in cart.sql, the taking of stock in stock.sql.
--
-- Locks are taken in this order, so that no two clients wait for each other: the cart, the coupon,
-- the variants by their ids. They come before anything is read, because MariaDB shows a transaction
-- what was there at its first reading without a lock.

-- name: lock_cart
-- Whoever writes lines into a cart, or the cart into an order, goes one after the other.
SELECT c.id, c.coupon_code, c.shipping_method, c.country, c.region
FROM carts c
WHERE c.token = :token
FOR UPDATE

-- name: lock_cart [sqlite]
-- Its write transactions come one after the other anyway, and it has no FOR UPDATE.
SELECT c.id, c.coupon_code, c.shipping_method, c.country, c.region
FROM carts c
WHERE c.token = :token

-- name: lock_coupon
-- Orders with a coupon that may be used only so often go one after the other: each counts the
-- usages of those before it.
SELECT c.id
FROM coupons c
WHERE c.code = :code AND c.usage_limit IS NOT NULL
FOR UPDATE

-- name: lock_coupon [sqlite]
-- As lock_cart.
SELECT c.id
FROM coupons c
WHERE c.code = :code AND c.usage_limit IS NOT NULL

-- name: lock_stock
-- What is there now, whatever the transaction saw before.
SELECT v.stock
FROM variants v
WHERE v.id = :variant_id
FOR UPDATE

-- name: lock_stock [sqlite]
-- As lock_cart.
SELECT v.stock
FROM variants v
WHERE v.id = :variant_id

-- ---- carts -----------------------------------------------------------------------------------------

-- name: offered_shipping_methods
-- Of every zone; the reader picks those whose zone has the country.
SELECT m.code, m.name, m.base_cents, m.per_kg_cents, m.free_from_cents, z.countries
FROM shipping_methods m
JOIN shipping_zones z ON z.id = m.zone_id
ORDER BY m.position, m.id

-- name: add_cart
INSERT INTO carts (token, coupon_code, shipping_method, country, region, created_at)
VALUES (:token, NULL, :shipping_method, :country, :region, :now)

-- name: variant_for_sale
SELECT v.stock
FROM variants v
JOIN products p ON p.id = v.product_id
WHERE v.id = :variant_id AND p.status = 'active' AND p.published_at <= :now

-- name: cart_quantities
SELECT l.position, l.variant_id, l.quantity
FROM cart_lines l
WHERE l.cart_id = :cart_id
ORDER BY l.position

-- name: add_cart_line
INSERT INTO cart_lines (cart_id, position, variant_id, quantity)
VALUES (:cart_id, :position, :variant_id, :quantity)

-- name: change_cart_line
UPDATE cart_lines
SET quantity = :quantity
WHERE cart_id = :cart_id AND position = :position

-- name: delete_cart_lines
DELETE FROM cart_lines
WHERE cart_id = :cart_id

-- name: delete_cart
DELETE FROM carts
WHERE id = :cart_id

-- ---- what an order's lines take along --------------------------------------------------------------

-- name: checkout_options
SELECT l.position, po.name, pov.value
FROM cart_lines l
JOIN variant_option_values vov ON vov.variant_id = l.variant_id
JOIN product_option_values pov ON pov.id = vov.option_value_id
JOIN product_options po ON po.id = pov.option_id
WHERE l.cart_id = :cart_id
ORDER BY l.position, po.position, po.id

-- name: checkout_taxes
-- The zone as cart_tax_rates finds it.
SELECT l.position, r.name
FROM cart_lines l
JOIN variants v ON v.id = l.variant_id
JOIN products p ON p.id = v.product_id
JOIN tax_rates r ON r.tax_class = p.tax_class
WHERE l.cart_id = :cart_id AND r.zone_id = (
  SELECT z.id
  FROM tax_zones z
  WHERE z.country = :country AND (z.region IS NULL OR z.region = :region)
  ORDER BY z.region IS NULL, z.id
  LIMIT 1
)
ORDER BY l.position

-- name: checkout_files
SELECT l.position, f.id AS file_id
FROM cart_lines l
JOIN variants v ON v.id = l.variant_id
JOIN product_files f ON f.product_id = v.product_id
WHERE l.cart_id = :cart_id
ORDER BY l.position, f.id

-- name: sale_name
SELECT s.name
FROM sales s
WHERE s.id = :sale_id

-- ---- the order -------------------------------------------------------------------------------------

-- name: placed_order
-- The first event holds the digest of the request.
SELECT
  o.number,
  h.message AS digest,
  COALESCE((SELECT sum(i.quantity) FROM order_items i WHERE i.order_id = o.id), 0) AS pieces,
  o.subtotal_cents,
  o.discount_cents,
  o.shipping_cents,
  o.tax_cents,
  o.total_cents,
  o.placed_at
FROM orders o
JOIN order_history h ON h.order_id = o.id AND h.position = 1
WHERE o.number = :number

-- name: add_order
-- The note is the token of the cart that was paid.
INSERT INTO orders (
  number, customer_id, email, status, currency, subtotal_cents, discount_cents, shipping_cents,
  tax_cents, total_cents, refunded_cents, coupon_code, shipping_method, ship_to_name, ship_to_line1,
  ship_to_city, ship_to_region, ship_to_postcode, ship_to_country, note, placed_at, updated_at
)
VALUES (
  :number, :customer_id, :email, 'paid', 'EUR', :subtotal_cents, :discount_cents, :shipping_cents,
  :tax_cents, :total_cents, 0, :coupon_code, :shipping_method, :ship_to_name, :ship_to_line1,
  :ship_to_city, :ship_to_region, :ship_to_postcode, :ship_to_country, :cart_token, :now, :now
)
RETURNING id

-- name: add_order_item
INSERT INTO order_items (
  order_id, position, product_id, variant_id, sku, name, options, quantity, unit_price_cents,
  discount_cents, tax_cents, total_cents
)
VALUES (
  :order_id, :position, :product_id, :variant_id, :sku, :name, :options, :quantity,
  :unit_price_cents, :discount_cents, :tax_cents, :total_cents
)

-- name: add_adjustment
INSERT INTO adjustments (order_id, position, item_position, kind, label, amount_cents)
VALUES (:order_id, :position, :item_position, :kind, :label, :amount_cents)

-- name: add_first_events
INSERT INTO order_history (order_id, position, event, actor, message, created_at)
VALUES
  (:order_id, 1, 'placed', :actor, :digest, :now),
  (:order_id, 2, 'payment_received', 'gateway', NULL, :now),
  (:order_id, 3, 'confirmation_sent', 'system', NULL, :now),
  (:order_id, 4, 'invoice_issued', 'system', NULL, :now)

-- name: add_downloads_event
INSERT INTO order_history (order_id, position, event, actor, message, created_at)
VALUES (:order_id, 5, 'downloads_granted', 'system', NULL, :now)

-- name: add_charge
INSERT INTO transactions (order_id, kind, status, gateway, reference, amount_cents, created_at)
VALUES (:order_id, 'charge', 'succeeded', 'cardgate', :reference, :amount_cents, :now)

-- name: add_coupon_usage
INSERT INTO coupon_usages (coupon_id, order_id, customer_id, amount_cents, used_at)
VALUES (:coupon_id, :order_id, :customer_id, :amount_cents, :now)

-- name: add_grant
INSERT INTO download_grants (
  order_id, item_position, file_id, token, downloads, max_downloads, created_at, expires_at
)
VALUES (:order_id, :item_position, :file_id, :token, 0, 5, :now, :expires_at)
