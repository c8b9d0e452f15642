// The loopback hub's certificate, for 127.0.0.1 and localhost, trusted only on request.
// Made with: openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500
//   -subj "/CN=loopback hub" -addext subjectAltName=IP:127.0.0.1,DNS:localhost

export const loopbackCertificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgur6psG4DoTAr1QEm
wY82ujQFZD8BVuM5cU1hgHp0DluhRANCAATwMdon5cT02bXzf/+FuNSeFINKtFKs
uGlqQ+9YAMAnOuAXUrEnpZ9vICNHDXfN4zM76rwKQfoqiE7skCTUNNKN
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBoTCCAUegAwIBAgIUHANxYfj/dAFfmLftzyl5R2TR/kIwCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMbG9vcGJhY2sgaHViMCAXDTI2MTEyMTExMzcyNloYDzIxMjYx
MDI4MTEzNzI2WjAXMRUwEwYDVQQDDAxsb29wYmFjayBodWIwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAATwMdon5cT02bXzf/+FuNSeFINKtFKsuGlqQ+9YAMAnOuAX
UrEnpZ9vICNHDXfN4zM76rwKQfoqiE7skCTUNNKNo28wbTAdBgNVHQ4EFgQUi+Ss
+pKe02yuH6X191BXD3iopvowHwYDVR0jBBgwFoAUi+Ss+pKe02yuH6X191BXD3io
pvowGgYDVR0RBBMwEYcEfwAAAYIJbG9jYWxob3N0MA8GA1UdEwEB/wQFMAMBAf8w
CgYIKoZIzj0EAwIDSAAwRQIgemmqkHC/LKSeno6U/HmlZeWudugCx38lPzYSh2zs
OW0CIQCCOkrtbbiuaZNjhPuvT5dIJ1o31/cMtEqZMPFiQJZ3rQ==
-----END CERTIFICATE-----
`,
};
