"""Workflows by name."""

from trinity.common.workflows.workflow import Task, Workflow
from trinity.utils.registry import Registry

_HERE = "trinity.common.workflows"
_ENVS = f"{_HERE}.envs"

#: Workflows that this stand-in does not have are searched in an installed Trinity-RFT. They do not need its torch.
WORKFLOWS = Registry(
    "workflows",
    default_mapping={
        "simple_workflow": f"{_HERE}.workflow.SimpleWorkflow",
        "async_simple_workflow": f"{_HERE}.workflow.AsyncSimpleWorkflow",
        "math_workflow": f"{_HERE}.workflow.MathWorkflow",
        "async_math_workflow": f"{_HERE}.workflow.AsyncMathWorkflow",
        "math_boxed_workflow": f"{_HERE}.customized_math_workflows.MathBoxedWorkflow",
        "async_math_boxed_workflow": f"{_HERE}.customized_math_workflows.AsyncMathBoxedWorkflow",
        "math_eval_workflow": f"{_HERE}.eval_workflow.MathEvalWorkflow",
        "async_math_eval_workflow": f"{_HERE}.eval_workflow.AsyncMathEvalWorkflow",
        "math_rm_workflow": f"{_HERE}.math_rm_workflow.MathRMWorkflow",
        "async_math_rm_workflow": f"{_HERE}.math_rm_workflow.AsyncMathRMWorkflow",
        "tool_call_workflow": f"{_HERE}.customized_toolcall_workflows.ToolCallWorkflow",
        "agentscope_workflow_adapter": f"{_HERE}.agentscope_workflow.AgentScopeWorkflowAdapter",
        "agentscope_workflow_adapter_v1": f"{_HERE}.agentscope_workflow.AgentScopeWorkflowAdapterV1",
        "agentscope_react_workflow": f"{_HERE}.agentscope.react.react_workflow.AgentScopeReActWorkflow",
        "as_react_workflow": f"{_HERE}.agentscope.react.react_workflow.AgentScopeReActWorkflow",
        "agentscope_react_math_workflow": f"{_ENVS}.agentscope.agentscopev1_react_workflow.AgentScopeReactMathWorkflow",
        "agentscopev0_react_math_workflow": f"{_ENVS}.agentscope.agentscopev0_react_workflow.AgentScopeV0ReactMathWorkflow",
        "agentscope_v1_react_search_workflow": f"{_ENVS}.agentscope.agentscopev1_search_workflow.AgentScopeV1ReactSearchWorkflow",
        "email_search_workflow": f"{_ENVS}.email_searcher.workflow.EmailSearchWorkflow",
        "alfworld_workflow": f"{_ENVS}.alfworld.alfworld_workflow.AlfworldWorkflow",
        "step_wise_alfworld_workflow": f"{_ENVS}.alfworld.alfworld_workflow.StepWiseAlfworldWorkflow",
        "RAFT_alfworld_workflow": f"{_ENVS}.alfworld.RAFT_alfworld_workflow.RAFTAlfworldWorkflow",
        "RAFT_reflect_alfworld_workflow": f"{_ENVS}.alfworld.RAFT_reflect_alfworld_workflow.RAFTReflectAlfworldWorkflow",
        "frozen_lake_workflow": f"{_ENVS}.frozen_lake.workflow.FrozenLakeWorkflow",
        "sciworld_workflow": f"{_ENVS}.sciworld.sciworld_workflow.SciWorldWorkflow",
        "webshop_workflow": f"{_ENVS}.webshop.webshop_workflow.WebShopWorkflow",
        "sudoku_workflow": f"{_ENVS}.sudoku.sudoku_workflow.SudokuWorkflow",
        "math_ruler_workflow": f"{_HERE}.math_ruler_workflow.MathRULERWorkflow",
        "async_math_ruler_workflow": f"{_HERE}.math_ruler_workflow.AsyncMathRULERWorkflow",
        "math_trainable_ruler_workflow": f"{_HERE}.math_trainable_ruler_workflow.MathTrainableRULERWorkflow",
        "rubric_judge_workflow": f"{_HERE}.rubric_judge_workflow.RubricJudgeWorkflow",
        "simple_mm_workflow": f"{_HERE}.simple_mm_workflow.SimpleMMWorkflow",
        "async_simple_mm_workflow": f"{_HERE}.simple_mm_workflow.AsyncSimpleMMWorkflow",
        "on_policy_distill_workflow": f"{_HERE}.on_policy_distill_workflow.OnPolicyDistillWorkflow",
        "on_policy_distill_math_workflow": f"{_HERE}.on_policy_distill_workflow.OnPolicyDistillMathWorkflow",
    },
)

__all__ = ["Task", "WORKFLOWS", "Workflow"]
