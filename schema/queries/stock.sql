-- Taking stock and giving it back. A hold is written and deleted in the transaction that changes
-- the stock.

-- name: stock_level
SELECT stock
FROM variants
WHERE id = :variant_id

-- name: take_stock
UPDATE variants
SET stock = stock - :quantity
WHERE id = :variant_id AND stock >= :quantity

-- name: add_hold
INSERT INTO stock_holds (id, variant_id, quantity, created_at)
VALUES (:id, :variant_id, :quantity, :now)

-- name: return_stock
-- Changes one row when the hold is there, none when it is not.
UPDATE variants
SET stock = stock + (SELECT h.quantity FROM stock_holds h WHERE h.id = :id)
WHERE id = (SELECT h.variant_id FROM stock_holds h WHERE h.id = :id)

-- name: delete_hold
DELETE FROM stock_holds
WHERE id = :id

-- name: return_all_stock
UPDATE variants
SET stock = stock + (SELECT sum(h.quantity) FROM stock_holds h WHERE h.variant_id = variants.id)
WHERE id IN (SELECT h.variant_id FROM stock_holds h)

-- name: delete_all_holds
DELETE FROM stock_holds

-- name: any_holds
SELECT 1 AS found
FROM stock_holds
LIMIT 1
