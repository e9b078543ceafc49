// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

extension RenderReport {
    /// Throws the first problem in a report. An image that has problems must not be written.
    func requireWhole() throws {
        for problem in problems { throw ToolError(problem) }
        if isContextLost { throw ToolError(RenderReport.Problem.gl(.contextLost)) }
    }
}
