-- Everything built once the rows are in, in this order. Each says what it serves.
-- A dialect's own statement stands under its name in brackets.

-- Keys of the shop's own.

-- name: categories_slug
CREATE UNIQUE INDEX categories_slug ON categories (slug)

-- name: tags_slug
CREATE UNIQUE INDEX tags_slug ON tags (slug)

-- name: attributes_code
CREATE UNIQUE INDEX attributes_code ON attributes (code)

-- name: variants_sku
CREATE UNIQUE INDEX variants_sku ON variants (sku)

-- name: download_grants_token
CREATE UNIQUE INDEX download_grants_token ON download_grants (token)

-- name: carts_token
-- Serves cart_pricing_5_lines.
CREATE UNIQUE INDEX carts_token ON carts (token)

-- name: coupons_code
-- Serves cart_pricing_5_lines.
CREATE UNIQUE INDEX coupons_code ON coupons (code)

-- name: products_slug
-- Serves product_page_by_slug.
CREATE UNIQUE INDEX products_slug ON products (slug)

-- name: customers_email
-- Serves customer_by_email.
CREATE UNIQUE INDEX customers_email ON customers (email)

-- name: orders_number
-- Serves order_search_by_number and order_detail.
CREATE UNIQUE INDEX orders_number ON orders (number)

-- The catalog.

-- name: products_listing
-- Serves catalog_listing_page_1 and catalog_listing_deep_page: the order of every listing. It ends in
-- published_at so that counting and skipping pages never leave the index.
CREATE INDEX products_listing ON products (status, popularity DESC, id, published_at)

-- name: product_categories_category
-- Serves catalog_listing_three_facets, catalog_listing_on_sale and catalog_facet_counts.
CREATE INDEX product_categories_category ON product_categories (category_id, product_id)

-- name: product_tags_tag
-- Serves catalog_listing_three_facets, catalog_listing_on_sale and catalog_facet_counts.
CREATE INDEX product_tags_tag ON product_tags (tag_id, product_id)

-- name: product_attributes_value
-- Serves catalog_listing_three_facets and catalog_facet_counts.
CREATE INDEX product_attributes_value ON product_attributes (attribute_id, value, product_id)

-- name: product_options_product
-- Serves product_page_by_slug and catalog_facet_counts. Unique, so that a product counts once for a
-- choice.
CREATE UNIQUE INDEX product_options_product ON product_options (product_id, name)

-- name: product_options_name
-- Serves catalog_listing_three_facets.
CREATE INDEX product_options_name ON product_options (name, product_id)

-- name: product_option_values_option
-- Serves product_page_by_slug, catalog_listing_three_facets and catalog_facet_counts. Unique, so that
-- a product counts once for a choice.
CREATE UNIQUE INDEX product_option_values_option ON product_option_values (option_id, value)

-- name: variants_product
-- Serves every listing (lowest price and stock) and product_page_by_slug.
CREATE INDEX variants_product ON variants (product_id, price_cents, stock)

-- name: variant_option_values_value
CREATE INDEX variant_option_values_value ON variant_option_values (option_value_id)

-- name: product_files_product
-- Serves product_page_by_slug.
CREATE INDEX product_files_product ON product_files (product_id)

-- name: sale_rules_product
-- Serves every listing and cart_pricing_5_lines.
CREATE INDEX sale_rules_product ON sale_rules (product_id, sale_id)

-- name: sale_rules_category
-- Serves every listing and cart_pricing_5_lines.
CREATE INDEX sale_rules_category ON sale_rules (category_id, sale_id)

-- name: sale_rules_tag
-- Serves every listing and cart_pricing_5_lines.
CREATE INDEX sale_rules_tag ON sale_rules (tag_id, sale_id)

-- Customers and orders.

-- name: addresses_customer
CREATE INDEX addresses_customer ON addresses (customer_id)

-- name: orders_placed
-- Serves admin_order_list_page_1, admin_order_list_deep_page and report_top_products.
CREATE INDEX orders_placed ON orders (placed_at, id, status)

-- name: orders_email
-- Serves order_search_by_email: the newest of a prefix are found in the index alone.
CREATE INDEX orders_email ON orders (email, placed_at, id)

-- name: orders_revenue [sqlite]
-- Serves report_revenue_by_month: the month is SQLite's own expression, and the query must write it and the
-- condition alike. Rows stand in the order of their months, so grouping by month sorts nothing. status is
-- there for SQLite to see that the index has every column that the query names.
CREATE INDEX orders_revenue ON orders (strftime('%Y-%m', placed_at, 'unixepoch'), placed_at, status, subtotal_cents, discount_cents, shipping_cents, tax_cents, total_cents) WHERE status NOT IN ('pending', 'cancelled')

-- name: orders_customer
CREATE INDEX orders_customer ON orders (customer_id)

-- name: order_items_order
-- Serves the reports, which read these columns of every line; the table's rows are six times as wide.
CREATE INDEX order_items_order ON order_items (order_id, quantity, product_id, unit_price_cents, discount_cents)

-- name: order_items_product [postgres]
-- Serves report_top_products. MariaDB has one of its own for the reference.
CREATE INDEX order_items_product ON order_items (product_id, order_id)

-- name: order_items_variant
CREATE INDEX order_items_variant ON order_items (variant_id)

-- name: transactions_order
-- Serves order_detail.
CREATE INDEX transactions_order ON transactions (order_id)

-- name: transactions_refunds [sqlite]
-- Serves report_revenue_by_month; see orders_revenue.
CREATE INDEX transactions_refunds ON transactions (strftime('%Y-%m', created_at, 'unixepoch'), created_at, order_id, amount_cents, kind, status) WHERE kind = 'refund' AND status = 'succeeded'

-- name: transactions_refunds [mariadb]
-- Serves report_revenue_by_month, which reads one transaction in twenty.
CREATE INDEX transactions_refunds ON transactions (kind, status, created_at, order_id, amount_cents)

-- name: shipments_order
-- Serves order_detail.
CREATE INDEX shipments_order ON shipments (order_id)

-- name: refund_items_order
CREATE INDEX refund_items_order ON refund_items (order_id)

-- name: shipping_methods_zone
CREATE INDEX shipping_methods_zone ON shipping_methods (zone_id)

-- Full text.

-- name: product_search [sqlite]
-- Serves catalog_search and catalog_search_two_words. Words are already split and folded (seed/search_words.h).
CREATE VIRTUAL TABLE product_search USING fts5 (search_words, content='products', content_rowid='id', detail='none', columnsize=0, tokenize='ascii')

-- name: product_search_fill [sqlite]
INSERT INTO product_search (product_search) VALUES ('rebuild')

-- name: product_search [postgres]
-- No parser and no dictionary, so what is indexed is the words as they are, whatever the server's settings.
CREATE INDEX product_search ON products USING gin (array_to_tsvector(string_to_array(search_words, ' '))) WITH (fastupdate = off)

-- name: product_search [mariadb]
-- A word is from 3 to 80 letters long and none is a stop word, so the server's settings for these do not matter.
CREATE FULLTEXT INDEX product_search ON products (search_words)
