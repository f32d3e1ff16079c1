#!/bin/sh
# Runs workerd, and lets the kernel end it when its parent ends, however that ends: a workerd without
# its parent would go on serving (prctl(2), PR_SET_PDEATHSIG). setpriv is part of util-linux.
if setpriv --pdeathsig KILL true 2>/dev/null; then
  exec setpriv --pdeathsig KILL "$LATCHKEY_WORKERD" "$@"
fi
exec "$LATCHKEY_WORKERD" "$@"
