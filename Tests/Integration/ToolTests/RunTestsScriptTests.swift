// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import Testing

/// The script `Scripts/run-tests`, on programs that print the output of Swift Testing.
struct RunTestsScriptTests {
    private let folder = TemporaryFolder()

    /// Watches a program with a limit of three seconds.
    private func watch(_ script: String) throws -> ProcessRunner.Result {
        let program = folder.appending("program")
        try Data(script.utf8).write(to: program)
        return try ProcessRunner.run(
            [
                Checkout.root.appending(path: "Scripts/run-tests").path, "--watch",
                folder.appending("log").path, "3", "sh", program.path,
            ], deadline: patience)
    }

    @Test func `a hanging test is named and ends the run`() throws {
        // A busy machine may stop the program for longer than the limit.
        try undisturbed {
            let result = try watch(
                """
                echo '◇ Test "a test that hangs" started.'
                while true; do
                    echo '◇ Test "a short one" started.'
                    echo '✔ Test "a short one" passed after 0.1 seconds.'
                    sleep 0.1
                done
                """)
            #expect(result.status == 124)
            #expect(result.standardError.contains("\n    Test \"a test that hangs\": no line for"))
            return result.standardError.contains("a short one") ? result.standardError : nil
        }
    }

    @Test func `a program without output is ended`() throws {
        let result = try watch("exec sleep 600")
        #expect(result.status == 124)
        #expect(result.standardError.contains("the tests print nothing"))
    }

    @Test func `the exit status is that of the tests`() throws {
        let result = try watch(
            """
            echo '◇ Test "fails" started.'
            echo '✘ Test "fails" failed after 0.1 seconds with 1 issue.'
            echo '✘ Test run with 1 test failed after 0.1 seconds with 1 issue.'
            exit 3
            """)
        #expect(result.status == 3)
        #expect(result.standardError.isEmpty, "\(result.standardError)")
    }
}
