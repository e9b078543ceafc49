// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

extension RenderReport {
    /// Throws what keeps a picture from being what it is to be: files do not get it.
    func requireWhole() throws {
        for problem in problems { throw ToolError(problem) }
        if isContextLost { throw ToolError(RenderReport.Problem.gl(.contextLost)) }
    }
}
