"""What `tools/shopmark load` is made of.

targets.py says what is measured, programs.py and server.py run our programs, run.py measures one
target and leaves its bundle. bundle.py and requests.py read a bundle, orders.py compares its orders
with the store's, figures.py computes its figures from its requests, verify.py says where the two
differ. tables.py and render.py make the tables.
"""
