-- What pricing a cart needs. The arithmetic is in fixtures/store/pricing.h.

-- name: cart_by_token
SELECT c.id, c.coupon_code, c.shipping_method, c.country, c.region
FROM carts c
WHERE c.token = :token

-- name: cart_lines
SELECT
  l.position,
  v.product_id,
  l.variant_id,
  v.sku,
  p.name,
  l.quantity,
  v.price_cents AS unit_price_cents,
  v.stock,
  v.weight_grams,
  p.kind,
  p.tax_class
FROM cart_lines l
JOIN variants v ON v.id = l.variant_id
JOIN products p ON p.id = v.product_id
WHERE l.cart_id = :cart_id
ORDER BY l.position

-- name: cart_coupon
-- Usages are counted only where a limit asks for it.
SELECT
  c.id,
  c.kind,
  c.value_bp,
  c.value_cents,
  c.min_subtotal_cents,
  c.usage_limit,
  CASE
    WHEN c.usage_limit IS NULL THEN 0
    ELSE (SELECT count(*) FROM coupon_usages u WHERE u.coupon_id = c.id)
  END AS used,
  c.starts_at,
  c.ends_at,
  c.active,
  (SELECT count(*) FROM coupon_scopes s WHERE s.coupon_id = c.id) AS scopes
FROM coupons c
WHERE c.code = :code

-- name: cart_coupon_scope
-- The positions of the cart's lines that any of the coupon's scopes names.
SELECT l.position
FROM cart_lines l
JOIN variants v ON v.id = l.variant_id
JOIN coupon_scopes s ON s.product_id = v.product_id
WHERE l.cart_id = :cart_id AND s.coupon_id = :coupon_id
UNION
SELECT l.position
FROM cart_lines l
JOIN variants v ON v.id = l.variant_id
JOIN product_categories pc ON pc.product_id = v.product_id
JOIN coupon_scopes s ON s.category_id = pc.category_id
WHERE l.cart_id = :cart_id AND s.coupon_id = :coupon_id

-- name: cart_tax_rates
-- A zone of the region goes before one of the whole country.
SELECT r.tax_class, r.rate_bp
FROM tax_rates r
WHERE r.zone_id = (
  SELECT z.id
  FROM tax_zones z
  WHERE z.country = :country AND (z.region IS NULL OR z.region = :region)
  ORDER BY z.region IS NULL, z.id
  LIMIT 1
)

-- name: cart_shipping_methods
-- A method's code may stand in several zones; the reader picks the one that has the country.
SELECT m.base_cents, m.per_kg_cents, m.free_from_cents, z.countries
FROM shipping_methods m
JOIN shipping_zones z ON z.id = m.zone_id
WHERE m.code = :code
ORDER BY m.id
