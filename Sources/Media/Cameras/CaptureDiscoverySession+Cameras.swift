// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PlayheadAssets
package import PlayheadCapturing

extension CaptureDiscoverySession {
    /// Creates a list of the cameras of this machine, found through Video for Linux. The variable
    /// `PLAYHEAD_VIDEO_NODES` names another folder of nodes than `/dev`.
    ///
    /// - Parameter decoding: The decoders for compressed frames.
    package static func cameras(decoding: any SampleDecoding) -> CaptureDiscoverySession {
        CaptureDiscoverySession(
            V4L2CameraProvider(
                folder: getenv("PLAYHEAD_VIDEO_NODES").map { String(cString: $0) } ?? "/dev",
                decoding: decoding),
            of: "camera")
    }
}
