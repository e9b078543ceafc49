// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import Testing

/// 64-bit ARM, by a cross compiler and QEMU. Without `--short`, the proof compares Swift's loops
/// as well.
struct CrossCompilationTests {
    private static let haveCompiler = ProcessRunner.has("aarch64-linux-gnu-gcc")
    private static let haveMachine =
        ProcessRunner.has("qemu-aarch64-static") || ProcessRunner.has("qemu-aarch64")

    @Test(
        .enabled(if: haveCompiler, "needs gcc-aarch64-linux-gnu"),
        .enabled(if: haveMachine, "needs qemu-user-static"))
    func `C code compiles for arm64, and NEON computes the same bits as AVX2`() throws {
        let script = Checkout.root.appending(path: "Scripts/prove/arm64").path
        let result = try ProcessRunner.run([script, "--short"], deadline: .seconds(1200))
        #expect(result.status == 0, "\(result.text)\(result.standardError)")
        #expect(result.text.hasSuffix("\narm64: holds\n"))
    }
}
