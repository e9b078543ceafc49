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

    /// Returns whether samples with the parameters `other` can follow samples with these parameters
    /// in a track. This is possible if the codec and its headers are the same.
    func describesSameSamples(as other: CodecParameters) -> Bool {
        let (own, theirs) = (pointer.pointee, other.pointer.pointee)
        func header(_ values: AVCodecParameters) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(start: values.extradata, count: Int(values.extradata_size))
        }
        return own.codec_id == theirs.codec_id && own.width == theirs.width
            && own.height == theirs.height && own.sample_rate == theirs.sample_rate
            && own.ch_layout.nb_channels == theirs.ch_layout.nb_channels
            && header(own).elementsEqual(header(theirs))
    }
}
