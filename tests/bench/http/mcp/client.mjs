// Tries shopmark-server with the Model Context Protocol's own client package.
//
// usage: node client.mjs URL, the token in SHOPMARK_ADMIN_TOKEN. Prints a line for each thing that
// holds and ends with status 0 when all do.

import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const url = new URL(process.argv[2]);

function transport(token) {
  return new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
}

// What a call is refused with.
async function refusal(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return assert.fail("nothing was refused");
}

async function holds(what, check) {
  await check();
  console.log(`holds: ${what}`);
}

const client = new Client({ name: "shopmark-test", version: "1.0.0" });
const connection = transport(process.env.SHOPMARK_ADMIN_TOKEN);

await holds("initialize agrees on a revision", async () => {
  await client.connect(connection);
  assert.equal(connection.protocolVersion, "2025-06-18");
  assert.equal(connection.sessionId, undefined);
  assert.equal(client.getServerVersion().name, "shopmark-server");
  assert.deepEqual(Object.keys(client.getServerCapabilities()), ["tools"]);
});

await holds("ping is answered", async () => {
  await client.ping();
});

await holds("tools/list has the three tools", async () => {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), ["get_config", "list_orders", "get_order"]);
});

// From here on the client checks every structured result against the tool's output schema.
await holds("get_config says what the shop is", async () => {
  const result = await client.callTool({ name: "get_config", arguments: {} });
  assert.equal(result.structuredContent.profile, "smoke");
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
});

let orders = [];
await holds("list_orders has a page of orders", async () => {
  const result = await client.callTool({ name: "list_orders", arguments: { page: 2 } });
  orders = result.structuredContent.orders;
  assert.equal(result.structuredContent.page, 2);
  assert.equal(orders.length, 25);
  const first = await client.callTool({ name: "list_orders" });
  assert.equal(first.structuredContent.page, 1);
  assert.notDeepEqual(first.structuredContent.orders, orders);
});

await holds("get_order has each of them", async () => {
  for (const { number, total_cents: total } of orders) {
    const result = await client.callTool({ name: "get_order", arguments: { number } });
    assert.equal(result.structuredContent.order.number, number);
    assert.equal(result.structuredContent.order.total_cents, total);
    assert.notEqual(result.structuredContent.items.length, 0);
  }
});

await holds("an order that there is not is the tool's error", async () => {
  const result = await client.callTool({ name: "get_order", arguments: { number: "none" } });
  assert.equal(result.isError, true);
});

await holds("an unknown tool and wrong arguments are invalid", async () => {
  for (const call of [
    { name: "drop_tables", arguments: {} },
    { name: "get_order", arguments: {} },
    { name: "get_order", arguments: { number: 5 } },
    { name: "get_order", arguments: { number: "1", extra: true } },
    { name: "list_orders", arguments: { page: 0 } },
  ]) {
    assert.equal((await refusal(client.callTool(call))).code, -32602, JSON.stringify(call));
  }
});

await holds("what the server does not do is no method of it", async () => {
  const error = await refusal(client.request({ method: "prompts/list" }, { parse: (it) => it }));
  assert.equal(error.code, -32601);
});

await client.close();

await holds("without the token there is no connection", async () => {
  const stranger = new Client({ name: "stranger", version: "1.0.0" });
  const error = await refusal(stranger.connect(transport("wrong")));
  assert.match(`${error.code} ${error.message}`, /401|[Uu]nauthorized/);
});
