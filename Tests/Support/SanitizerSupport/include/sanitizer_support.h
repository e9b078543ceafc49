/* SPDX-License-Identifier: Apache-2.0 */

/* Nothing to call: what links this has it. */
