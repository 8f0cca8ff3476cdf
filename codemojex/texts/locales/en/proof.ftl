### The proof that the code never changed.

verify-last = This is about your last finished game. The one that is on stays sealed until it ends; /verify it then.
verify-kept = ✅ <b>The code never changed.</b> Code and nonce give exactly the seal I showed you at the start:
verify-broken = ❌ <b>Code and nonce don't give the seal I showed you.</b> This must not happen; please report it.
verify-seal = <code>{ $commitment }</code>
verify-code =
    Code: { $symbols }
    Nonce: <code>{ $nonce }</code>
verify-hand =
    Don't take my word for it. In a terminal, this prints the same:
    <pre>{ $command }</pre>
verify-nothing = There's nothing to check yet: finish a game first. /new starts one.
verify-not-yet = There's nothing to check yet: the game that is on stays sealed until it ends, and none was finished before.
