// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import Testing

@Suite struct ProcessRunnerTests {
    @Test func `output, errors and status are returned`() throws {
        let result = try ProcessRunner.run(["sh", "-c", "echo out; echo err >&2; exit 7"])
        #expect(result.status == 7)
        #expect(result.text == "out\n")
        #expect(result.standardError == "err\n")
    }

    @Test func `output larger than any pipe does not block`() throws {
        let result = try ProcessRunner.run(["head", "-c", "3000000", "/dev/zero"])
        #expect(result.standardOutput.count == 3_000_000)
    }

    @Test func `input is read to its end`() throws {
        let result = try ProcessRunner.check(["wc", "-c"]) { write in
            let block = [UInt8](repeating: 1, count: 100_000)
            for _ in 0..<20 { guard block.withUnsafeBytes(write) else { return } }
        }
        #expect(result.text.contains("2000000"))
    }

    @Test func `a program that stops reading does not end the test`() throws {
        let result = try ProcessRunner.run(["head", "-c", "1"]) { write in
            let block = [UInt8](repeating: 65, count: 1_000_000)
            while block.withUnsafeBytes(write) {}
        }
        #expect(result.text == "A")
    }

    @Test func `a deadline ends the program and its children`() throws {
        let folder = TemporaryFolder()
        let error = #expect(throws: ChildProcess.Failure.self) {
            try ProcessRunner.run(
                ["sh", "-c", "(tail -f /dev/null; touch late) & wait"],
                directory: folder.url, deadline: .milliseconds(50))
        }
        #expect(error?.description.contains("did not end within") == true)
    }

    @Test func `the environment is this one with changes`() throws {
        let result = try ProcessRunner.check(
            ["sh", "-c", "echo $ADDED ${HOME-unset} ${PATH:+kept}"],
            environment: ["ADDED": "yes", "HOME": nil as String?])
        #expect(result.text == "yes unset kept\n")
    }

    @Test func `a missing program is an error that names it`() {
        let error = #expect(throws: ChildProcess.Failure.self) {
            try ProcessRunner.run(["no-such-program-here"])
        }
        #expect(error?.description.contains("no-such-program-here: cannot be started") == true)
    }

    @Test func `a program can be terminated`() throws {
        let process = try ChildProcess(["tail", "-f", "/dev/null"])
        #expect(!process.hasEnded)
        process.signal()
        #expect(process.wait(patience) == -15)
    }
}
