-- name: round_trip
SELECT 1 AS one
