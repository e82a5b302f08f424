// Shows /openapi.json by @scalar/api-reference. Everything comes from us: no fonts, proxies or services of others.
Scalar.createApiReference("#reference", {
  url: "/openapi.json",
  servers: [{ url: location.origin }],
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  documentDownloadType: "json",
  theme: "none",
  metaData: { title: "Truename: API reference" },
});
