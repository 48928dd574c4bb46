-- The store's tables, described once for every engine.
--
-- Types are three: INTEGER is 64 bits; VARCHAR(n) is text of at most n characters that a key or an index may
-- use; TEXT is text that none does. Each engine renders them in its own dialect (text always compares
-- bytewise). Amounts are in cents, rates in basis points, times in Unix seconds UTC, flags 0 or 1.
-- One column or constraint a line. A table comes after those that it references.

-- ---- the shop's configuration -----------------------------------------------------------------------------

CREATE TABLE categories (
  id INTEGER NOT NULL,
  parent_id INTEGER,
  position INTEGER NOT NULL,
  slug VARCHAR(80) NOT NULL,
  name VARCHAR(120) NOT NULL,
  description TEXT,
  PRIMARY KEY (id),
  FOREIGN KEY (parent_id) REFERENCES categories (id)
);

CREATE TABLE tags (
  id INTEGER NOT NULL,
  slug VARCHAR(80) NOT NULL,
  name VARCHAR(120) NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE attributes (
  id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  code VARCHAR(40) NOT NULL,
  name VARCHAR(120) NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE tax_zones (
  id INTEGER NOT NULL,
  name VARCHAR(120) NOT NULL,
  country VARCHAR(2) NOT NULL,
  region VARCHAR(40),
  PRIMARY KEY (id)
);

CREATE TABLE tax_rates (
  zone_id INTEGER NOT NULL,
  tax_class VARCHAR(20) NOT NULL,
  name VARCHAR(120) NOT NULL,
  rate_bp INTEGER NOT NULL,
  PRIMARY KEY (zone_id, tax_class),
  FOREIGN KEY (zone_id) REFERENCES tax_zones (id),
  CHECK (rate_bp BETWEEN 0 AND 10000)
);

-- countries: two-letter codes with a space between.
CREATE TABLE shipping_zones (
  id INTEGER NOT NULL,
  name VARCHAR(120) NOT NULL,
  countries TEXT NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE shipping_methods (
  id INTEGER NOT NULL,
  zone_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  code VARCHAR(40) NOT NULL,
  name VARCHAR(120) NOT NULL,
  base_cents INTEGER NOT NULL,
  per_kg_cents INTEGER NOT NULL,
  free_from_cents INTEGER,
  PRIMARY KEY (id),
  FOREIGN KEY (zone_id) REFERENCES shipping_zones (id),
  CHECK (base_cents >= 0),
  CHECK (per_kg_cents >= 0)
);

-- ---- the catalog ------------------------------------------------------------------------------------------

-- search_words: what the full-text index holds, as seed/search_words.h writes it.
CREATE TABLE products (
  id INTEGER NOT NULL,
  slug VARCHAR(120) NOT NULL,
  name VARCHAR(160) NOT NULL,
  subtitle VARCHAR(160),
  description TEXT NOT NULL,
  search_words TEXT NOT NULL,
  status VARCHAR(20) NOT NULL,
  kind VARCHAR(20) NOT NULL,
  tax_class VARCHAR(20) NOT NULL,
  compare_at_cents INTEGER,
  popularity INTEGER NOT NULL,
  published_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (id),
  CHECK (status IN ('active', 'draft', 'archived')),
  CHECK (kind IN ('physical', 'digital')),
  CHECK (updated_at >= published_at)
);

CREATE TABLE product_categories (
  product_id INTEGER NOT NULL,
  category_id INTEGER NOT NULL,
  PRIMARY KEY (product_id, category_id),
  FOREIGN KEY (product_id) REFERENCES products (id),
  FOREIGN KEY (category_id) REFERENCES categories (id)
);

CREATE TABLE product_tags (
  product_id INTEGER NOT NULL,
  tag_id INTEGER NOT NULL,
  PRIMARY KEY (product_id, tag_id),
  FOREIGN KEY (product_id) REFERENCES products (id),
  FOREIGN KEY (tag_id) REFERENCES tags (id)
);

CREATE TABLE product_attributes (
  product_id INTEGER NOT NULL,
  attribute_id INTEGER NOT NULL,
  value VARCHAR(120) NOT NULL,
  PRIMARY KEY (product_id, attribute_id),
  FOREIGN KEY (product_id) REFERENCES products (id),
  FOREIGN KEY (attribute_id) REFERENCES attributes (id)
);

CREATE TABLE product_media (
  product_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  kind VARCHAR(20) NOT NULL,
  url VARCHAR(255) NOT NULL,
  alt VARCHAR(200),
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  PRIMARY KEY (product_id, position),
  FOREIGN KEY (product_id) REFERENCES products (id),
  CHECK (kind IN ('image', 'video'))
);

CREATE TABLE product_options (
  id INTEGER NOT NULL,
  product_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  name VARCHAR(60) NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY (product_id) REFERENCES products (id)
);

CREATE TABLE product_option_values (
  id INTEGER NOT NULL,
  option_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  value VARCHAR(60) NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY (option_id) REFERENCES product_options (id)
);

CREATE TABLE variants (
  id INTEGER NOT NULL,
  product_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  sku VARCHAR(40) NOT NULL,
  barcode VARCHAR(20),
  price_cents INTEGER NOT NULL,
  stock INTEGER NOT NULL,
  weight_grams INTEGER NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY (product_id) REFERENCES products (id),
  CHECK (price_cents >= 0),
  CHECK (stock >= 0)
);

CREATE TABLE variant_option_values (
  variant_id INTEGER NOT NULL,
  option_value_id INTEGER NOT NULL,
  PRIMARY KEY (variant_id, option_value_id),
  FOREIGN KEY (variant_id) REFERENCES variants (id),
  FOREIGN KEY (option_value_id) REFERENCES product_option_values (id)
);

CREATE TABLE product_files (
  id INTEGER NOT NULL,
  product_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  name VARCHAR(160) NOT NULL,
  media_type VARCHAR(60) NOT NULL,
  bytes INTEGER NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY (product_id) REFERENCES products (id),
  CHECK (bytes >= 0)
);

CREATE TABLE product_releases (
  file_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  version VARCHAR(20) NOT NULL,
  notes TEXT,
  released_at INTEGER NOT NULL,
  PRIMARY KEY (file_id, position),
  FOREIGN KEY (file_id) REFERENCES product_files (id)
);

-- ---- sales and coupons ------------------------------------------------------------------------------------

-- kind: percent takes value_bp off, amount takes value_cents off each piece, tiered takes the rate of the
-- highest tier that the quantity on the line reaches.
CREATE TABLE sales (
  id INTEGER NOT NULL,
  name VARCHAR(120) NOT NULL,
  kind VARCHAR(20) NOT NULL,
  value_bp INTEGER NOT NULL,
  value_cents INTEGER NOT NULL,
  starts_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  PRIMARY KEY (id),
  CHECK (kind IN ('percent', 'amount', 'tiered')),
  CHECK (value_bp BETWEEN 0 AND 10000),
  CHECK (value_cents >= 0),
  CHECK (ends_at > starts_at)
);

-- A rule puts into its sale one product, or every product of a category or of a tag.
CREATE TABLE sale_rules (
  id INTEGER NOT NULL,
  sale_id INTEGER NOT NULL,
  product_id INTEGER,
  category_id INTEGER,
  tag_id INTEGER,
  PRIMARY KEY (id),
  FOREIGN KEY (sale_id) REFERENCES sales (id),
  FOREIGN KEY (product_id) REFERENCES products (id),
  FOREIGN KEY (category_id) REFERENCES categories (id),
  FOREIGN KEY (tag_id) REFERENCES tags (id),
  CHECK ((product_id IS NOT NULL AND category_id IS NULL AND tag_id IS NULL) OR (product_id IS NULL AND category_id IS NOT NULL AND tag_id IS NULL) OR (product_id IS NULL AND category_id IS NULL AND tag_id IS NOT NULL))
);

CREATE TABLE sale_tiers (
  sale_id INTEGER NOT NULL,
  min_quantity INTEGER NOT NULL,
  percent_bp INTEGER NOT NULL,
  PRIMARY KEY (sale_id, min_quantity),
  FOREIGN KEY (sale_id) REFERENCES sales (id),
  CHECK (min_quantity >= 1),
  CHECK (percent_bp BETWEEN 0 AND 10000)
);

-- kind: percent takes value_bp off the lines in scope, amount takes value_cents off them together, shipping
-- makes shipping free.
CREATE TABLE coupons (
  id INTEGER NOT NULL,
  code VARCHAR(40) NOT NULL,
  kind VARCHAR(20) NOT NULL,
  value_bp INTEGER NOT NULL,
  value_cents INTEGER NOT NULL,
  min_subtotal_cents INTEGER NOT NULL,
  usage_limit INTEGER,
  starts_at INTEGER NOT NULL,
  ends_at INTEGER,
  active INTEGER NOT NULL,
  PRIMARY KEY (id),
  CHECK (kind IN ('percent', 'amount', 'shipping')),
  CHECK (value_bp BETWEEN 0 AND 10000),
  CHECK (active IN (0, 1))
);

-- A coupon without scopes covers every line; one with scopes the lines that any of them names.
CREATE TABLE coupon_scopes (
  coupon_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  product_id INTEGER,
  category_id INTEGER,
  PRIMARY KEY (coupon_id, position),
  FOREIGN KEY (coupon_id) REFERENCES coupons (id),
  FOREIGN KEY (product_id) REFERENCES products (id),
  FOREIGN KEY (category_id) REFERENCES categories (id),
  CHECK ((product_id IS NULL AND category_id IS NOT NULL) OR (product_id IS NOT NULL AND category_id IS NULL))
);

-- ---- customers --------------------------------------------------------------------------------------------

CREATE TABLE customers (
  id INTEGER NOT NULL,
  email VARCHAR(160) NOT NULL,
  name VARCHAR(160) NOT NULL,
  phone VARCHAR(40),
  locale VARCHAR(10) NOT NULL,
  accepts_marketing INTEGER NOT NULL,
  note TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (id),
  CHECK (accepts_marketing IN (0, 1))
);

CREATE TABLE customer_auth (
  customer_id INTEGER NOT NULL,
  password_hash VARCHAR(100) NOT NULL,
  failed_logins INTEGER NOT NULL,
  last_login_at INTEGER,
  PRIMARY KEY (customer_id),
  FOREIGN KEY (customer_id) REFERENCES customers (id),
  CHECK (failed_logins >= 0)
);

CREATE TABLE addresses (
  id INTEGER NOT NULL,
  customer_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  name VARCHAR(160) NOT NULL,
  line1 VARCHAR(160) NOT NULL,
  line2 VARCHAR(160),
  city VARCHAR(120) NOT NULL,
  region VARCHAR(40),
  postcode VARCHAR(20) NOT NULL,
  country VARCHAR(2) NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY (customer_id) REFERENCES customers (id)
);

-- ---- orders -----------------------------------------------------------------------------------------------

-- total = subtotal - discount + shipping + tax; an order's adjustments are the same parts one by one.
-- customer_id is NULL for a guest.
CREATE TABLE orders (
  id INTEGER NOT NULL,
  number VARCHAR(40) NOT NULL,
  customer_id INTEGER,
  email VARCHAR(160) NOT NULL,
  status VARCHAR(20) NOT NULL,
  currency VARCHAR(3) NOT NULL,
  subtotal_cents INTEGER NOT NULL,
  discount_cents INTEGER NOT NULL,
  shipping_cents INTEGER NOT NULL,
  tax_cents INTEGER NOT NULL,
  total_cents INTEGER NOT NULL,
  refunded_cents INTEGER NOT NULL,
  coupon_code VARCHAR(40),
  shipping_method VARCHAR(40),
  ship_to_name VARCHAR(160) NOT NULL,
  ship_to_line1 VARCHAR(160) NOT NULL,
  ship_to_city VARCHAR(120) NOT NULL,
  ship_to_region VARCHAR(40),
  ship_to_postcode VARCHAR(20) NOT NULL,
  ship_to_country VARCHAR(2) NOT NULL,
  note TEXT,
  placed_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY (customer_id) REFERENCES customers (id),
  CHECK (status IN ('pending', 'paid', 'shipped', 'completed', 'refunded', 'cancelled')),
  CHECK (total_cents = subtotal_cents - discount_cents + shipping_cents + tax_cents),
  CHECK (refunded_cents BETWEEN 0 AND total_cents),
  CHECK (updated_at >= placed_at)
);

-- total = quantity * unit price - discount + tax; discount holds the line's sale and its share of the coupon.
CREATE TABLE order_items (
  order_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  product_id INTEGER NOT NULL,
  variant_id INTEGER NOT NULL,
  sku VARCHAR(40) NOT NULL,
  name VARCHAR(160) NOT NULL,
  options VARCHAR(160),
  quantity INTEGER NOT NULL,
  unit_price_cents INTEGER NOT NULL,
  discount_cents INTEGER NOT NULL,
  tax_cents INTEGER NOT NULL,
  total_cents INTEGER NOT NULL,
  PRIMARY KEY (order_id, position),
  FOREIGN KEY (order_id) REFERENCES orders (id),
  FOREIGN KEY (product_id) REFERENCES products (id),
  FOREIGN KEY (variant_id) REFERENCES variants (id),
  CHECK (quantity >= 1),
  CHECK (total_cents = quantity * unit_price_cents - discount_cents + tax_cents)
);

-- amount is negative for what is taken off. item_position is NULL where the whole order is meant.
CREATE TABLE adjustments (
  order_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  item_position INTEGER,
  kind VARCHAR(20) NOT NULL,
  label VARCHAR(120) NOT NULL,
  amount_cents INTEGER NOT NULL,
  PRIMARY KEY (order_id, position),
  FOREIGN KEY (order_id) REFERENCES orders (id),
  FOREIGN KEY (order_id, item_position) REFERENCES order_items (order_id, position),
  CHECK (kind IN ('sale', 'coupon', 'shipping', 'tax'))
);

CREATE TABLE order_history (
  order_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  event VARCHAR(40) NOT NULL,
  actor VARCHAR(60) NOT NULL,
  message TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (order_id, position),
  FOREIGN KEY (order_id) REFERENCES orders (id)
);

CREATE TABLE transactions (
  id INTEGER NOT NULL,
  order_id INTEGER NOT NULL,
  kind VARCHAR(20) NOT NULL,
  status VARCHAR(20) NOT NULL,
  gateway VARCHAR(40) NOT NULL,
  reference VARCHAR(60) NOT NULL,
  amount_cents INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY (order_id) REFERENCES orders (id),
  CHECK (kind IN ('charge', 'refund')),
  CHECK (status IN ('succeeded', 'failed')),
  CHECK (amount_cents >= 0)
);

CREATE TABLE refund_items (
  transaction_id INTEGER NOT NULL,
  item_position INTEGER NOT NULL,
  order_id INTEGER NOT NULL,
  quantity INTEGER NOT NULL,
  amount_cents INTEGER NOT NULL,
  PRIMARY KEY (transaction_id, item_position),
  FOREIGN KEY (transaction_id) REFERENCES transactions (id),
  FOREIGN KEY (order_id, item_position) REFERENCES order_items (order_id, position),
  CHECK (quantity >= 1),
  CHECK (amount_cents >= 0)
);

CREATE TABLE shipments (
  id INTEGER NOT NULL,
  order_id INTEGER NOT NULL,
  carrier VARCHAR(40) NOT NULL,
  tracking VARCHAR(60),
  shipped_at INTEGER NOT NULL,
  delivered_at INTEGER,
  PRIMARY KEY (id),
  FOREIGN KEY (order_id) REFERENCES orders (id),
  CHECK (delivered_at >= shipped_at)
);

CREATE TABLE shipment_items (
  shipment_id INTEGER NOT NULL,
  item_position INTEGER NOT NULL,
  order_id INTEGER NOT NULL,
  quantity INTEGER NOT NULL,
  PRIMARY KEY (shipment_id, item_position),
  FOREIGN KEY (shipment_id) REFERENCES shipments (id),
  FOREIGN KEY (order_id, item_position) REFERENCES order_items (order_id, position),
  CHECK (quantity >= 1)
);

CREATE TABLE coupon_usages (
  coupon_id INTEGER NOT NULL,
  order_id INTEGER NOT NULL,
  customer_id INTEGER,
  amount_cents INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (coupon_id, order_id),
  FOREIGN KEY (coupon_id) REFERENCES coupons (id),
  FOREIGN KEY (order_id) REFERENCES orders (id),
  FOREIGN KEY (customer_id) REFERENCES customers (id),
  CHECK (amount_cents >= 0)
);

CREATE TABLE download_grants (
  order_id INTEGER NOT NULL,
  item_position INTEGER NOT NULL,
  file_id INTEGER NOT NULL,
  token VARCHAR(40) NOT NULL,
  downloads INTEGER NOT NULL,
  max_downloads INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  PRIMARY KEY (order_id, item_position, file_id),
  FOREIGN KEY (order_id, item_position) REFERENCES order_items (order_id, position),
  FOREIGN KEY (file_id) REFERENCES product_files (id),
  CHECK (downloads >= 0),
  CHECK (expires_at > created_at)
);

-- ---- run time: what the store writes while it serves ------------------------------------------------------

-- The seeder leaves a few carts to price. token is what the shopper's cookie holds.
CREATE TABLE carts (
  id INTEGER NOT NULL,
  token VARCHAR(40) NOT NULL,
  coupon_code VARCHAR(40),
  shipping_method VARCHAR(40) NOT NULL,
  country VARCHAR(2) NOT NULL,
  region VARCHAR(40),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE cart_lines (
  cart_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  variant_id INTEGER NOT NULL,
  quantity INTEGER NOT NULL,
  PRIMARY KEY (cart_id, position),
  FOREIGN KEY (cart_id) REFERENCES carts (id),
  FOREIGN KEY (variant_id) REFERENCES variants (id),
  CHECK (quantity >= 1)
);

-- Stock that was taken and may still be given back: the row and the smaller stock are one transaction, so a
-- crash between taking and giving back leaves what the next start has to give back.
CREATE TABLE stock_holds (
  id VARCHAR(40) NOT NULL,
  variant_id INTEGER NOT NULL,
  quantity INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY (variant_id) REFERENCES variants (id),
  CHECK (quantity >= 1)
);

-- What the seeder says of this database. The row 'state' turns from 'loading' to 'complete' last of all.
CREATE TABLE shopmark_seed (
  name VARCHAR(40) NOT NULL,
  value VARCHAR(255) NOT NULL,
  PRIMARY KEY (name)
);
