// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

extension Demuxer {
    /// Reads packets up to an error, and returns it; nil if the media ends without one.
    func readToFailure() -> MediaError? {
        do throws(MediaError) {
            while try readPacket() != nil {}
            return nil
        } catch {
            return error
        }
    }
}
