// SPDX-License-Identifier: Apache-2.0

/// An object that receives the errors that validation finds in a video composition.
///
/// - Concurrency: called on the thread that calls the validation.
/// - Corresponds to: `AVVideoCompositionValidationHandling`, with one method for all faults.
public protocol VideoCompositionValidationHandling {
    /// Receives an error.
    ///
    /// - Parameter fault: The error, with its instruction, its track and its time.
    /// - Returns: A Boolean value that indicates whether validation continues to the next fault.
    func videoComposition(
        _ composition: VideoComposition, shouldContinueValidatingAfter fault: VideoCompositionError
    ) -> Bool
}
