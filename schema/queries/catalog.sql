-- The catalog: listings, searches, facets and product pages.
--
-- {filters} stands where fixtures/store/filter.cc puts the shopper's filter, fragment after
-- fragment (those named filter_..., below); {n} in a fragment is the number of the choice, so that
-- every choice has parameters of its own. Values are always bound.
--
-- A product is visible when it is active and published by :now.

-- ---- the shopper's filter --------------------------------------------------------------------------

-- name: filter_category
AND p.id IN (
  SELECT pc.product_id
  FROM product_categories pc
  WHERE pc.category_id = (SELECT c.id FROM categories c WHERE c.slug = :key{n})
)

-- name: filter_tag
AND p.id IN (
  SELECT pt.product_id
  FROM product_tags pt
  WHERE pt.tag_id = (SELECT t.id FROM tags t WHERE t.slug = :key{n})
)

-- name: filter_attribute
AND p.id IN (
  SELECT pa.product_id
  FROM product_attributes pa
  WHERE pa.attribute_id = (SELECT a.id FROM attributes a WHERE a.code = :key{n})
    AND pa.value = :value{n}
)

-- name: filter_option
AND p.id IN (
  SELECT po.product_id
  FROM product_options po
  JOIN product_option_values pov ON pov.option_id = po.id
  WHERE po.name = :key{n} AND pov.value = :value{n}
)

-- name: filter_on_sale
-- A table of its own, each product once: else MariaDB asks all three parts for every product.
AND p.id IN (
  SELECT on_sale.product_id
  FROM (
    SELECT r.product_id
    FROM sales s
    JOIN sale_rules r ON r.sale_id = s.id
    WHERE s.starts_at <= :now AND s.ends_at > :now AND r.product_id IS NOT NULL
    UNION
    SELECT pc.product_id
    FROM sales s
    JOIN sale_rules r ON r.sale_id = s.id
    JOIN product_categories pc ON pc.category_id = r.category_id
    WHERE s.starts_at <= :now AND s.ends_at > :now
    UNION
    SELECT pt.product_id
    FROM sales s
    JOIN sale_rules r ON r.sale_id = s.id
    JOIN product_tags pt ON pt.tag_id = r.tag_id
    WHERE s.starts_at <= :now AND s.ends_at > :now
  ) on_sale
)

-- name: filter_on_sale [sqlite]
-- SQLite makes the list once as it is.
AND p.id IN (
  SELECT r.product_id
  FROM sales s
  JOIN sale_rules r ON r.sale_id = s.id
  WHERE s.starts_at <= :now AND s.ends_at > :now AND r.product_id IS NOT NULL
  UNION ALL
  SELECT pc.product_id
  FROM sales s
  JOIN sale_rules r ON r.sale_id = s.id
  JOIN product_categories pc ON pc.category_id = r.category_id
  WHERE s.starts_at <= :now AND s.ends_at > :now
  UNION ALL
  SELECT pt.product_id
  FROM sales s
  JOIN sale_rules r ON r.sale_id = s.id
  JOIN product_tags pt ON pt.tag_id = r.tag_id
  WHERE s.starts_at <= :now AND s.ends_at > :now
)

-- Full text is every engine's own, and so is the form in which it is asked for all of several words.
-- :search holds them as the index does, only ASCII letters and digits (seed/search_words.h), each
-- once, a blank between two; so nothing in it is syntax to any engine.

-- name: filter_search [sqlite]
AND p.id IN (SELECT ps.rowid FROM product_search ps WHERE ps.product_search MATCH :search)

-- name: filter_search [postgres]
-- The expression of the index product_search.
AND array_to_tsvector(string_to_array(p.search_words, ' ')) @@ replace(:search, ' ', '&')::tsquery

-- name: filter_search [mariadb]
AND MATCH (p.search_words) AGAINST (concat('+', replace(:search, ' ', ' +')) IN BOOLEAN MODE)

-- ---- listings --------------------------------------------------------------------------------------

-- name: list_products_total
SELECT count(*) AS total
FROM products p
WHERE p.status = 'active' AND p.published_at <= :now {filters}

-- name: list_products_page
-- The page's ids first, then the columns of those alone.
SELECT
  p.id,
  p.slug,
  p.name,
  p.subtitle,
  p.compare_at_cents,
  COALESCE((SELECT min(v.price_cents) FROM variants v WHERE v.product_id = p.id), 0) AS price_cents,
  COALESCE((SELECT sum(v.stock) FROM variants v WHERE v.product_id = p.id), 0) AS stock,
  image.url AS image_url,
  image.alt AS image_alt
FROM (
  SELECT p.id
  FROM products p
  WHERE p.status = 'active' AND p.published_at <= :now {filters}
  ORDER BY p.popularity DESC, p.id
  LIMIT :limit OFFSET :offset
) page
JOIN products p ON p.id = page.id
LEFT JOIN product_media image
  ON image.product_id = p.id
  AND image.position = (
    SELECT min(m.position) FROM product_media m WHERE m.product_id = p.id AND m.kind = 'image'
  )
ORDER BY p.popularity DESC, p.id

-- name: sales_of_products
-- The sales running now that products are in, with their tiers; a page's products at once.
WITH chosen (id) AS (
  SELECT p.id
  FROM products p
  WHERE p.id IN (
    :id1, :id2, :id3, :id4, :id5, :id6, :id7, :id8, :id9, :id10, :id11, :id12,
    :id13, :id14, :id15, :id16, :id17, :id18, :id19, :id20, :id21, :id22, :id23, :id24
  )
),
candidates (product_id, sale_id) AS (
  SELECT chosen.id, r.sale_id
  FROM chosen
  JOIN sale_rules r ON r.product_id = chosen.id
  UNION
  SELECT chosen.id, r.sale_id
  FROM chosen
  JOIN product_categories pc ON pc.product_id = chosen.id
  JOIN sale_rules r ON r.category_id = pc.category_id
  UNION
  SELECT chosen.id, r.sale_id
  FROM chosen
  JOIN product_tags pt ON pt.product_id = chosen.id
  JOIN sale_rules r ON r.tag_id = pt.tag_id
)
SELECT
  candidates.product_id,
  s.id AS sale_id,
  s.kind,
  s.value_bp,
  s.value_cents,
  t.min_quantity,
  t.percent_bp
FROM candidates
JOIN sales s ON s.id = candidates.sale_id
LEFT JOIN sale_tiers t ON t.sale_id = s.id
WHERE s.starts_at <= :now AND s.ends_at > :now
ORDER BY candidates.product_id, s.id, t.min_quantity

-- ---- facet counts ----------------------------------------------------------------------------------

-- The rows of one choice are added up by their reader, so a statement may give a choice in parts,
-- also in negative ones. Servers group by hashing, and to send a row costs them more. SQLite groups by
-- sorting, which costs it about 1 us a row; handing a row over costs a tenth of that.

-- name: facet_counts
WITH matching (id) AS (
  SELECT p.id
  FROM products p
  WHERE p.status = 'active' AND p.published_at <= :now {filters}
)
SELECT
  'category' AS facet_group,
  c.slug AS facet_key,
  '' AS facet_value,
  c.name AS label,
  counted.products
FROM (
  SELECT pc.category_id, count(*) AS products
  FROM matching
  JOIN product_categories pc ON pc.product_id = matching.id
  GROUP BY pc.category_id
) counted
JOIN categories c ON c.id = counted.category_id
UNION ALL
SELECT 'tag', t.slug, '', t.name, counted.products
FROM (
  SELECT pt.tag_id, count(*) AS products
  FROM matching
  JOIN product_tags pt ON pt.product_id = matching.id
  GROUP BY pt.tag_id
) counted
JOIN tags t ON t.id = counted.tag_id
UNION ALL
SELECT 'attribute', a.code, counted.value, a.name, counted.products
FROM (
  SELECT pa.attribute_id, pa.value, count(*) AS products
  FROM matching
  JOIN product_attributes pa ON pa.product_id = matching.id
  GROUP BY pa.attribute_id, pa.value
) counted
JOIN attributes a ON a.id = counted.attribute_id
UNION ALL
SELECT 'option', po.name, pov.value, po.name, count(*)
FROM matching
JOIN product_options po ON po.product_id = matching.id
JOIN product_option_values pov ON pov.option_id = po.id
GROUP BY po.name, pov.value

-- name: facet_counts [sqlite]
-- One part for every product and choice. CROSS JOIN fixes the order of SQLite's loops: from the
-- products that match to what they have.
WITH matching (id) AS MATERIALIZED (
  SELECT p.id
  FROM products p
  WHERE p.status = 'active' AND p.published_at <= :now {filters}
)
SELECT 'category' AS facet_group, c.slug AS facet_key, '' AS facet_value, c.name AS label, 1 AS products
FROM matching
CROSS JOIN product_categories pc ON pc.product_id = matching.id
CROSS JOIN categories c ON c.id = pc.category_id
UNION ALL
SELECT 'tag', t.slug, '', t.name, 1
FROM matching
CROSS JOIN product_tags pt ON pt.product_id = matching.id
CROSS JOIN tags t ON t.id = pt.tag_id
UNION ALL
SELECT 'attribute', a.code, pa.value, a.name, 1
FROM matching
CROSS JOIN product_attributes pa ON pa.product_id = matching.id
CROSS JOIN attributes a ON a.id = pa.attribute_id
UNION ALL
SELECT 'option', po.name, pov.value, po.name, 1
FROM matching
CROSS JOIN product_options po ON po.product_id = matching.id
CROSS JOIN product_option_values pov ON pov.option_id = po.id

-- name: facet_counts_unfiltered [sqlite]
-- In place of facet_counts without a filter. Of a whole catalog nearly every product is visible, so what every choice has is counted in the
-- order of its index, and what is hidden is taken off: six times as fast as the other.
WITH hidden (id) AS MATERIALIZED (
  SELECT p.id
  FROM products p
  WHERE p.status <> 'active' OR p.published_at > :now
)
SELECT
  'category' AS facet_group,
  c.slug AS facet_key,
  '' AS facet_value,
  c.name AS label,
  (SELECT count(*) FROM product_categories pc WHERE pc.category_id = c.id) AS products
FROM categories c
UNION ALL
SELECT 'tag', t.slug, '', t.name, (SELECT count(*) FROM product_tags pt WHERE pt.tag_id = t.id)
FROM tags t
UNION ALL
SELECT 'attribute', a.code, counted.value, a.name, counted.products
FROM (
  SELECT pa.attribute_id, pa.value, count(*) AS products
  FROM product_attributes pa
  GROUP BY pa.attribute_id, pa.value
) counted
JOIN attributes a ON a.id = counted.attribute_id
UNION ALL
SELECT 'option', po.name, pov.value, po.name, 1
FROM product_options po
CROSS JOIN product_option_values pov ON pov.option_id = po.id
UNION ALL
SELECT 'category', c.slug, '', c.name, -1
FROM hidden
CROSS JOIN product_categories pc ON pc.product_id = hidden.id
CROSS JOIN categories c ON c.id = pc.category_id
UNION ALL
SELECT 'tag', t.slug, '', t.name, -1
FROM hidden
CROSS JOIN product_tags pt ON pt.product_id = hidden.id
CROSS JOIN tags t ON t.id = pt.tag_id
UNION ALL
SELECT 'attribute', a.code, pa.value, a.name, -1
FROM hidden
CROSS JOIN product_attributes pa ON pa.product_id = hidden.id
CROSS JOIN attributes a ON a.id = pa.attribute_id
UNION ALL
SELECT 'option', po.name, pov.value, po.name, -1
FROM hidden
CROSS JOIN product_options po ON po.product_id = hidden.id
CROSS JOIN product_option_values pov ON pov.option_id = po.id

-- ---- product page ----------------------------------------------------------------------------------

-- name: product_by_slug
SELECT
  p.id,
  p.slug,
  p.name,
  p.subtitle,
  p.description,
  p.kind,
  p.tax_class,
  p.compare_at_cents,
  p.popularity,
  p.published_at,
  p.updated_at
FROM products p
WHERE p.slug = :slug AND p.status = 'active' AND p.published_at <= :now

-- name: product_variants
SELECT v.id, v.position, v.sku, v.barcode, v.price_cents, v.stock, v.weight_grams
FROM variants v
WHERE v.product_id = :product_id
ORDER BY v.position, v.id

-- name: product_variant_options
SELECT v.id AS variant_id, po.name, pov.value
FROM variants v
JOIN variant_option_values vov ON vov.variant_id = v.id
JOIN product_option_values pov ON pov.id = vov.option_value_id
JOIN product_options po ON po.id = pov.option_id
WHERE v.product_id = :product_id
ORDER BY v.position, v.id, po.position, po.id, pov.id

-- name: product_media
SELECT m.position, m.kind, m.url, m.alt, m.width, m.height
FROM product_media m
WHERE m.product_id = :product_id
ORDER BY m.position

-- name: product_attributes
SELECT a.code, a.name, pa.value
FROM product_attributes pa
JOIN attributes a ON a.id = pa.attribute_id
WHERE pa.product_id = :product_id
ORDER BY a.position, a.id

-- name: product_categories
SELECT c.id, c.slug, c.name
FROM product_categories pc
JOIN categories c ON c.id = pc.category_id
WHERE pc.product_id = :product_id
ORDER BY c.id

-- name: product_tags
SELECT t.id, t.slug, t.name
FROM product_tags pt
JOIN tags t ON t.id = pt.tag_id
WHERE pt.product_id = :product_id
ORDER BY t.id

-- name: product_files
-- Each with its newest release.
SELECT
  f.id,
  f.name,
  f.media_type,
  f.bytes,
  f.checksum,
  r.version,
  r.notes,
  r.released_at
FROM product_files f
LEFT JOIN product_releases r
  ON r.file_id = f.id
  AND r.position = (
    SELECT newest.position
    FROM product_releases newest
    WHERE newest.file_id = f.id
    ORDER BY newest.released_at DESC, newest.position DESC
    LIMIT 1
  )
WHERE f.product_id = :product_id
ORDER BY f.position, f.id

-- name: list_categories
SELECT c.id, c.parent_id, c.slug, c.name
FROM categories c
ORDER BY c.position, c.id
