// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

extension CodecParameters {
    /// Creates the parameters of an open encoder. Fails if there is not enough memory.
    convenience init?(of context: UnsafeMutablePointer<AVCodecContext>) {
        var parameters = avcodec_parameters_alloc()
        defer { avcodec_parameters_free(&parameters) }
        guard let parameters, avcodec_parameters_from_context(parameters, context) >= 0 else {
            return nil
        }
        self.init(copying: parameters)
    }
}
