@0xb1c5e9a2d4f68037;
# Where the Worker may connect directly: notification webhooks, mail and text message providers, the OIDC issuer. Names
# are looked up first and their addresses checked, so that no name leads into your network. "public" is the internet
# without private, loopback and link-local addresses. For a mail server or an issuer inside your network add its address:
#   const allow :List(Text) = ["public", "10.1.2.3/32", "127.0.0.1/32"];
# The database and the downloads have their own bindings and need no entry here.
const allow :List(Text) = ["public"];
const deny :List(Text) = [];
